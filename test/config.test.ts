import { expect, it } from 'vitest';
import { loadConfig } from '../src/config.ts';

const keys = { BLOBS_S3_ACCESS_KEY_ID: 'an-id', BLOBS_S3_SECRET_ACCESS_KEY: 'a-secret' };

it('keeps blobs in a bucket only where one is named', () => {
  expect(loadConfig({}).bucket).toBeUndefined();
  expect(loadConfig(keys).bucket).toBeUndefined();
  expect(loadConfig({ ...keys, BLOBS_S3_BUCKET: 'blobs', BLOBS_S3_ENDPOINT: 'http://s3.local' }).bucket).toEqual({
    bucket: 'blobs',
    endpoint: 'http://s3.local',
    region: 'us-east-1',
    accessKeyId: 'an-id',
    secretAccessKey: 'a-secret',
  });
});

it('says which key of a bucket is missing, without the other', () => {
  const load = () => loadConfig({ BLOBS_S3_BUCKET: 'blobs', BLOBS_S3_SECRET_ACCESS_KEY: 'a-secret' });
  expect(load).toThrow('BLOBS_S3_ACCESS_KEY_ID: is missing for BLOBS_S3_BUCKET');
  expect(load).not.toThrow('a-secret');
});
