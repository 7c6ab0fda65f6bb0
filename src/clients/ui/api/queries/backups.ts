import { queryOptions } from '@tanstack/react-query';
import { readAll } from '../read-all.ts';
import { request } from '../request.ts';

export const backupSettingsQuery = queryOptions({
  queryKey: ['backup-settings'],
  queryFn: async ({ signal }) => await request('get', '/v1/backup/settings', { params: {}, signal }),
});

export const backupsQuery = queryOptions({
  queryKey: ['backups'],
  queryFn: async ({ signal }) =>
    await readAll(async (query) => await request('get', '/v1/backup/backups', { params: {}, query, signal })),
});

export const archivesQuery = queryOptions({
  queryKey: ['backup-archives'],
  queryFn: async ({ signal }) => await request('get', '/v1/backup/archives', { params: {}, signal }),
});

export const restoresQuery = queryOptions({
  queryKey: ['restores'],
  queryFn: async ({ signal }) =>
    await request('get', '/v1/backup/restores', { params: {}, query: { limit: 5 }, signal }),
});
