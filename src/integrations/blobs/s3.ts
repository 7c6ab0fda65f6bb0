import {
  DeleteObjectsCommand,
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { ServiceError } from '../../errors.ts';
import type { Blobs } from './blobs.ts';
import { checkKey, checkPrefix } from './check-key.ts';

export type S3Options = {
  /** For any but AWS itself. */
  endpoint?: string;
  region: string;
  bucket: string;
  /** Put before every key, such as `delivery/`, so that a bucket can be shared. */
  prefix?: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Names the bucket in the path, not in the host's name; so by default where there is an endpoint. */
  forcePathStyle?: boolean;
};

/** The first try, and some more over a few seconds; who asked may try again for longer. */
const attemptsMax = 4;
const connectTimeoutMs = 5_000;
const idleTimeoutMs = 30_000;
/** As many as one request may name. */
const deletedAtOnceMax = 1000;

/** Blobs in a bucket of AWS, or of anything that speaks its protocol. */
export function s3Blobs({ bucket, prefix = '', ...options }: S3Options): Blobs {
  const client = clientOf(options);
  const at = (key: string) => ({ Bucket: bucket, Key: prefix + checkKey(key) });
  const asking = refusing(bucket, options);
  const list = async (start: string): Promise<string[]> => {
    const keys: string[] = [];
    const pages = paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix + checkPrefix(start) });
    for await (const { Contents = [] } of pages)
      keys.push(...Contents.flatMap(({ Key }) => (Key === undefined ? [] : Key.slice(prefix.length))));
    return keys;
  };

  return {
    async put(key, bytes) {
      const object = at(key);
      // One request: a bucket takes it whole, or not at all.
      await asking(async () => await client.send(new PutObjectCommand({ ...object, Body: bytes })));
    },
    async find(key) {
      const object = at(key);
      return await asking(async () => {
        try {
          const { Body } = await client.send(new GetObjectCommand(object));
          return await Body?.transformToByteArray();
        } catch (error) {
          if (error instanceof NoSuchKey) return undefined;
          throw error;
        }
      });
    },
    list: async (start) => await asking(async () => (await list(start)).sort()),
    async deleteAll(start) {
      await asking(async () => {
        const keys = await list(start);
        for (let from = 0; from < keys.length; from += deletedAtOnceMax) {
          const Objects = keys.slice(from, from + deletedAtOnceMax).map((key) => ({ Key: prefix + key }));
          const { Errors = [] } = await client.send(
            new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } }),
          );
          const [first] = Errors;
          if (first) throw new Error(`${first.Code}: ${Errors.length} blobs could not be deleted`);
        }
      });
    },
  };
}

type Access = Omit<S3Options, 'bucket' | 'prefix'>;

function clientOf({ endpoint, region, accessKeyId, secretAccessKey, forcePathStyle }: Access): S3Client {
  return new S3Client({
    region,
    ...(endpoint !== undefined && { endpoint }),
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: forcePathStyle ?? endpoint !== undefined,
    maxAttempts: attemptsMax,
    requestHandler: { connectionTimeout: connectTimeoutMs, requestTimeout: idleTimeoutMs },
    // Not every server that speaks the protocol knows the newer checksums; what is sent is signed by its hash anyway.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}

/** Every refusal may pass, or be mended by the operator, while those who need the blob try again. */
function refusing(bucket: string, { accessKeyId, secretAccessKey }: Access): <T>(ask: () => Promise<T>) => Promise<T> {
  return async (ask) => {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      const { name, message, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
      const status = $metadata?.httpStatusCode;
      const said = [status, name, message].filter((part) => part !== undefined && part !== '').join(' ');
      const fix = status !== undefined && status < 500 ? ' Check the BLOBS_S3_ settings.' : '';
      // Without the library's error as its cause: that carries the request, signed as it was.
      throw new ServiceError(
        'unavailable',
        `The bucket "${bucket}" of the blobs cannot be used now (${without(said, [secretAccessKey, accessKeyId])}).${fix}`,
      );
    }
  };
}

const without = (text: string, secrets: string[]): string =>
  secrets.reduce((rest, secret) => (secret === '' ? rest : rest.replaceAll(secret, '[key]')), text).slice(0, 500);
