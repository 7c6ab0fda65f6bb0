import { hash } from 'node:crypto';
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { findConnectionErrorCode, ServiceError } from '../../errors.ts';
import type { Blobs } from './blobs.ts';
import { assertBlobKey, assertBlobPrefix, isBlobKey } from './assert-blob-key.ts';

export type S3Options = {
  /** Required for any service other than AWS. */
  endpoint?: string;
  region: string;
  bucket: string;
  /** Prepended to every key, such as `delivery/`, so that a bucket can be shared. */
  prefix?: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Puts the bucket into the path instead of the host name. Defaults to true with an endpoint. */
  forcePathStyle?: boolean;
  /** The beginning of the names of the settings, for error messages; by default `BLOBS_S3_`. */
  settings?: string;
  /** The time without a byte after which a request is repeated; by default half a minute. */
  idleTimeoutMs?: number;
};

/** The retries take a few seconds; callers retry for longer. */
const attemptsMax = 4;
const connectTimeoutMs = 5_000;
const defaultIdleTimeoutMs = 30_000;
/** The maximum of one request. */
const deleteBatchMax = 1000;

/** Stores blobs in a bucket of AWS or of a compatible service. */
export function s3Blobs({ bucket, prefix = '', settings = 'BLOBS_S3_', ...options }: S3Options): Blobs {
  const client = createClient(options);
  const toLocation = (key: string) => ({ Bucket: bucket, Key: prefix + assertBlobKey(key) });
  const mapErrors = errorMapper(settings);
  const list = async (start: string, writtenBefore?: Date): Promise<string[]> => {
    const keys: string[] = [];
    const pages = paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix + assertBlobPrefix(start) });
    for await (const { Contents = [] } of pages)
      for (const { Key, LastModified } of Contents)
        if (Key !== undefined && (!writtenBefore || (LastModified && LastModified < writtenBefore)))
          keys.push(Key.slice(prefix.length));
    // A bucket may also hold objects of people and tools, such as the empty ones that consoles create for folders.
    return keys.filter(isBlobKey);
  };

  return {
    async put(key, bytes) {
      // AWS and others demand a checksum for a bucket with Object Lock, and this one is supported everywhere.
      const object = { ...toLocation(key), Body: bytes, ContentMD5: hash('md5', bytes, 'base64') };
      // A single request is atomic, unlike a multipart upload.
      await mapErrors(async () => await client.send(new PutObjectCommand(object)));
    },
    async find(key) {
      const object = toLocation(key);
      return await mapErrors(async () => {
        try {
          const { Body } = await client.send(new GetObjectCommand(object));
          return await Body?.transformToByteArray();
        } catch (error) {
          if (error instanceof NoSuchKey) return undefined;
          throw error;
        }
      });
    },
    list: async (start) => await mapErrors(async () => (await list(start)).sort()),
    async deletePrefix(start, { writtenBefore } = {}) {
      await mapErrors(async () => {
        const keys = await list(start, writtenBefore);
        for (let from = 0; from < keys.length; from += deleteBatchMax) {
          const Objects = keys.slice(from, from + deleteBatchMax).map((key) => ({ Key: prefix + key }));
          const { Errors = [] } = await client.send(
            new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } }),
          );
          const [first] = Errors;
          if (first) throw unavailable(settings, `${first.Code}: ${Errors.length} blobs could not be deleted`);
        }
      });
    },
  };
}

type S3Access = Omit<S3Options, 'bucket' | 'prefix' | 'settings'>;

function createClient({
  endpoint,
  region,
  accessKeyId,
  secretAccessKey,
  forcePathStyle,
  idleTimeoutMs = defaultIdleTimeoutMs,
}: S3Access): S3Client {
  return new S3Client({
    region,
    ...(endpoint !== undefined && { endpoint }),
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: forcePathStyle ?? endpoint !== undefined,
    maxAttempts: attemptsMax,
    // The request timeout of the library only warns, and would limit the upload of a large part.
    requestHandler: { connectionTimeout: connectTimeoutMs, socketTimeout: idleTimeoutMs },
    // Some compatible servers do not support the newer checksums, and requests are signed with their hash anyway.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}

/** All errors are retryable, because the operator may fix the cause while callers retry. */
function errorMapper(settings: string): <T>(call: () => Promise<T>) => Promise<T> {
  return async (call) => {
    try {
      return await call();
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      const { name, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
      const status = $metadata?.httpStatusCode;
      const cause = [status, findConnectionErrorCode(error) ?? name].filter((part) => part !== undefined).join(' ');
      const isRefused = status !== undefined && status < 500 && status !== 429;
      throw unavailable(settings, cause, isRefused ? ` Check the ${settings} settings.` : '');
    }
  };
}

/** Any viewer may read it, so it names neither the bucket nor the message of the provider, which tells its address. */
const unavailable = (settings: string, cause: string, fix = ''): ServiceError =>
  new ServiceError('blob-store-unavailable', `The bucket of ${settings}BUCKET is unavailable (${cause}).${fix}`);
