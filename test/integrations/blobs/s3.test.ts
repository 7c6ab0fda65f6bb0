import { hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Blobs } from '../../../src/integrations/blobs/blobs.ts';
import { s3Blobs, type S3Options } from '../../../src/integrations/blobs/s3.ts';
import { describeBlobsContract } from '../../contracts/blobs.ts';
import { findS3Server, startS3Server, type S3Server } from '../../support/servers/s3-server.ts';

const executable = await findS3Server(process.env);
const bucket = 'blobs';
let server: S3Server;
let shares = 0;

const buildOptions = ({ url, region, accessKeyId, secretAccessKey }: S3Server): S3Options => ({
  endpoint: url,
  region,
  bucket,
  accessKeyId,
  secretAccessKey,
});
/** Uses a separate prefix of the bucket for each test. */
const open = (options: Partial<S3Options> = {}): Blobs =>
  s3Blobs({ ...buildOptions(server), prefix: `share-${(shares += 1)}/`, ...options });

/** Sends the requests through a proxy that may respond itself. */
async function through(answer: RequestListener): Promise<string> {
  const front = createServer(answer).listen(0, '127.0.0.1');
  await once(front, 'listening');
  onTestFinished(() => {
    front.closeAllConnections();
    front.close();
  });
  return `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
}

describe.skipIf(executable === undefined)('s3Blobs on a real server', () => {
  beforeAll(async () => {
    server = await startS3Server(executable ?? '', [bucket]);
  });
  afterAll(async () => await server?.close());

  describeBlobsContract('a bucket', async () => open());

  it('lists and deletes more keys than one request supports', async () => {
    const blobs = open();
    const keys = Array.from({ length: 2_050 }, (_, index) => `runs/1/${String(index).padStart(4, '0')}`);
    for (let from = 0; from < keys.length; from += 50)
      await Promise.all(keys.slice(from, from + 50).map(async (key) => await blobs.put(key, new Uint8Array([1]))));
    await blobs.put('runs/2/0001', new Uint8Array([1]));
    expect(await blobs.list('runs/1/')).toEqual(keys);
    await blobs.deletePrefix('runs/1/');
    expect(await blobs.list('')).toEqual(['runs/2/0001']);
  });

  it('lists and deletes no object of others, such as the folder that a console creates for the prefix', async () => {
    const prefix = 'with-folder/';
    const blobs = open({ prefix });
    const { url, region, accessKeyId, secretAccessKey } = server;
    const credentials = { accessKeyId, secretAccessKey };
    const client = new S3Client({ endpoint: url, region, credentials, forcePathStyle: true });
    const others = [prefix, `${prefix}runs/a note.txt`];
    for (const Key of others) await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: new Uint8Array() }));
    await blobs.put('runs/1', new Uint8Array([1]));
    expect(await blobs.list('')).toEqual(['runs/1']);
    await blobs.deletePrefix('');
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix }));
    expect(Contents.map(({ Key }) => Key)).toEqual(others);
  });

  it('separates prefixes in a shared bucket', async () => {
    const [mine, yours] = [open({ prefix: 'mine/' }), open({ prefix: 'yours/' })];
    await mine.put('a', new Uint8Array([1]));
    expect(await yours.find('a')).toBeUndefined();
    await yours.deletePrefix('');
    expect(await mine.list('')).toEqual(['a']);
  });

  it('reports rejected credentials and the settings to check, without the credentials', async () => {
    const secretAccessKey = 'another-secret-that-must-not-leak';
    const refused = [
      async () => await open({ secretAccessKey }).put('a', new Uint8Array([1])),
      async () => await open({ accessKeyId: 'unknown-access-key' }).find('a'),
    ];
    for (const ask of refused) {
      const error = await ask().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'unavailable', message: expect.stringMatching(/\(40[34] /) });
      expect(error).toMatchObject({ message: expect.stringContaining('Check the BLOBS_S3_ settings') });
      const shown = [JSON.stringify(error), String(error), Object.values(error as object)].join();
      expect(shown).not.toMatch(/another-secret|unknown-access-key|an-access-key/);
      expect((error as Error).cause).toBeUndefined();
    }
  });

  it('distinguishes a missing bucket from a missing blob', async () => {
    await expect(open({ bucket: 'nowhere' }).find('a')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('NoSuchBucket'),
    });
  });
});

it.each([429, 500, 503])('%s: retries a limited number of times', async (status) => {
  let asked = 0;
  const endpoint = await through((request, response) => {
    asked += 1;
    request.resume().once('end', () => response.writeHead(status).end());
  });
  const secrets = { accessKeyId: 'an-access-key', secretAccessKey: 'a-secret-that-must-not-leak' };
  const blobs = s3Blobs({ endpoint, region: 'us-east-1', bucket, ...secrets });
  const error = await blobs.put('a', new Uint8Array([1])).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'unavailable', message: expect.stringContaining(String(status)) });
  // The settings of the operator are no cause of a failure of the server.
  expect(String(error)).not.toContain('settings');
  expect(asked).toBe(4);
});

const answerRefused: RequestListener = (request, response) => {
  const text = '<Error><Code>AccessDenied</Code><Message>No bucket-of-acme at 10.0.0.7</Message></Error>';
  request.resume().once('end', () => response.writeHead(403, { 'content-type': 'application/xml' }).end(text));
};

it.each([
  ['refuses', async () => await through(answerRefused), '(403 AccessDenied). Check the BLOBS_S3_ settings.'],
  ['is away', () => 'http://127.0.0.1:1', '(ECONNREFUSED).'],
])('names neither the bucket nor the host of a server that %s, because viewers read it', async (_, start, cause) => {
  const keys = { accessKeyId: 'a', secretAccessKey: 'b' };
  const blobs = s3Blobs({ endpoint: await start(), region: 'us-east-1', bucket: 'bucket-of-acme', ...keys });
  const error = await blobs.find('a').catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ message: `The bucket of BLOBS_S3_BUCKET is unavailable ${cause}` });
});

it('retries a put', async () => {
  const bodies: string[] = [];
  const endpoint = await through((request, response) => {
    void request.toArray().then((chunks) => {
      bodies.push(Buffer.concat(chunks as Buffer[]).toString());
      response.writeHead(bodies.length < 3 ? 503 : 200).end();
    });
  });
  const blobs = s3Blobs({ endpoint, region: 'us-east-1', bucket, accessKeyId: 'a', secretAccessKey: 'b' });
  await blobs.put('a', Buffer.from('whole'));
  expect(bodies).toEqual(['whole', 'whole', 'whole']);
});

it('writes to a bucket with Object Lock, which demands a checksum', async () => {
  const bodies: string[] = [];
  const endpoint = await through((request, response) => {
    void request.toArray().then((chunks) => {
      const body = Buffer.concat(chunks as Buffer[]);
      const isChecked = request.headers['content-md5'] === hash('md5', body, 'base64');
      if (isChecked) bodies.push(body.toString());
      response.writeHead(isChecked ? 200 : 400).end();
    });
  });
  const blobs = s3Blobs({ endpoint, region: 'us-east-1', bucket, accessKeyId: 'a', secretAccessKey: 'b' });
  for (const text of ['whole', '']) await blobs.put('a', Buffer.from(text));
  expect(bodies).toEqual(['whole', '']);
});

it.each([
  ['accepts a request and never answers', () => {}],
  ['answers and then sends nothing more', (response: ServerResponse) => response.writeHead(200).write('a part')],
])('gives up on a server that %s', async (_, answer) => {
  let asked = 0;
  const endpoint = await through((_request, response) => {
    asked += 1;
    answer(response);
  });
  const keys = { accessKeyId: 'a', secretAccessKey: 'b' };
  const blobs = s3Blobs({ endpoint, region: 'us-east-1', bucket, ...keys, idleTimeoutMs: 200 });
  await expect(blobs.find('a')).rejects.toMatchObject({ code: 'unavailable' });
  expect(asked).toBeGreaterThan(0);
});

it('throws when a response is aborted', async () => {
  const endpoint = await through((request, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('a part');
    setTimeout(() => request.socket.destroy(), 20);
  });
  const blobs = s3Blobs({ endpoint, region: 'us-east-1', bucket, accessKeyId: 'a', secretAccessKey: 'b' });
  await expect(blobs.find('a')).rejects.toMatchObject({ code: 'unavailable' });
});

it('fails a deletion that leaves a blob behind', async () => {
  const endpoint = await through((request, response) => {
    const listed = '<ListBucketResult><Contents><Key>a</Key></Contents></ListBucketResult>';
    const failed = '<DeleteResult><Error><Key>a</Key><Code>AccessDenied</Code></Error></DeleteResult>';
    request.resume().once('end', () => response.end(request.method === 'GET' ? listed : failed));
  });
  const keys = { accessKeyId: 'an-access-key', secretAccessKey: 'a-secret' };
  const blobs = s3Blobs({ endpoint, region: 'us-east-1', bucket, ...keys });
  await expect(blobs.deletePrefix('')).rejects.toThrow('AccessDenied: 1 blobs could not be deleted');
});
