import { queryOptions } from '@tanstack/react-query';
import { request } from '../request.ts';

/** The settings of the installation, which only platform admins may read. */
export const installationQuery = queryOptions({
  queryKey: ['installation'],
  queryFn: async ({ signal }) => await request('get', '/v1/installation', { params: {}, signal }),
});

/** The registry of images, which only platform admins may read. */
export const imageRegistryQuery = queryOptions({
  queryKey: ['image-registry'],
  queryFn: async ({ signal }) => await request('get', '/v1/installation/image-registry', { params: {}, signal }),
});
