import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Blobs } from '../../../src/integrations/blobs/blobs.ts';
import { s3Blobs, type S3Options } from '../../../src/integrations/blobs/s3.ts';
import { describeBlobs } from '../../contracts/blobs.ts';
import { findS3Server, startS3, type RunningS3 } from '../../support/s3-server.ts';

const executable = await findS3Server(process.env);
const bucket = 'blobs';
let server: RunningS3;
let shares = 0;

const optionsOf = ({ url, region, accessKeyId, secretAccessKey }: RunningS3): S3Options => ({
  endpoint: url,
  region,
  bucket,
  accessKeyId,
  secretAccessKey,
});
/** A part of the bucket that no other test sees. */
const open = (options: Partial<S3Options> = {}): Blobs =>
  s3Blobs({ ...optionsOf(server), prefix: `share-${(shares += 1)}/`, ...options });

/** The same blobs through a server of the test's own, which may answer in the other one's place. */
async function through(answer: RequestListener): Promise<string> {
  const front = createServer(answer).listen(0, '127.0.0.1');
  await once(front, 'listening');
  onTestFinished(() => {
    front.closeAllConnections();
    front.close();
  });
  return `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
}

describe.skipIf(executable === undefined)('on a real server', () => {
  beforeAll(async () => {
    server = await startS3(executable ?? '', [bucket]);
  });
  afterAll(async () => await server?.close());

  describeBlobs('a bucket', async () => open());

  it('lists and deletes more than one request can name', async () => {
    const blobs = open();
    const keys = Array.from({ length: 2_050 }, (_, index) => `runs/1/${String(index).padStart(4, '0')}`);
    for (let from = 0; from < keys.length; from += 50)
      await Promise.all(keys.slice(from, from + 50).map(async (key) => await blobs.put(key, new Uint8Array([1]))));
    await blobs.put('runs/2/0001', new Uint8Array([1]));
    expect(await blobs.list('runs/1/')).toEqual(keys);
    await blobs.deleteAll('runs/1/');
    expect(await blobs.list('')).toEqual(['runs/2/0001']);
  });

  it('shares a bucket: one prefix sees nothing of another', async () => {
    const [mine, yours] = [open({ prefix: 'mine/' }), open({ prefix: 'yours/' })];
    await mine.put('a', new Uint8Array([1]));
    expect(await yours.find('a')).toBeUndefined();
    await yours.deleteAll('');
    expect(await mine.list('')).toEqual(['a']);
  });

  it('says that the key is refused and what to check, without either part of the key', async () => {
    const secretAccessKey = 'another-secret-that-nobody-shows';
    const refused = [
      async () => await open({ secretAccessKey }).put('a', new Uint8Array([1])),
      async () => await open({ accessKeyId: 'nobody-of-that-name' }).find('a'),
    ];
    for (const ask of refused) {
      const error = await ask().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'unavailable', message: expect.stringMatching(/\(40[34] /) });
      expect(error).toMatchObject({ message: expect.stringContaining('Check the BLOBS_S3_ settings') });
      const shown = [JSON.stringify(error), String(error), Object.values(error as object)].join();
      expect(shown).not.toMatch(/another-secret|nobody-of-that-name|an-access-key/);
      expect((error as Error).cause).toBeUndefined();
    }
  });

  it('a bucket that is not there is no missing blob', async () => {
    await expect(open({ bucket: 'nowhere' }).find('a')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('NoSuchBucket'),
    });
  });
});

it.each([429, 500, 503])('%s: tries again a few times, and no more than that', async (status) => {
  let asked = 0;
  const endpoint = await through((request, response) => {
    asked += 1;
    request.resume().once('end', () => response.writeHead(status).end());
  });
  const secrets = { accessKeyId: 'an-access-key', secretAccessKey: 'a-secret-that-nobody-shows' };
  const blobs = s3Blobs({ endpoint, region: 'us-east-1', bucket, ...secrets });
  const error = await blobs.put('a', new Uint8Array([1])).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'unavailable', message: expect.stringContaining(String(status)) });
  expect(asked).toBe(4);
});

it('a put that is refused at first gets through', async () => {
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

it('an answer that breaks off is no blob', async () => {
  const endpoint = await through((request, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('a part');
    setTimeout(() => request.socket.destroy(), 20);
  });
  const blobs = s3Blobs({ endpoint, region: 'us-east-1', bucket, accessKeyId: 'a', secretAccessKey: 'b' });
  await expect(blobs.find('a')).rejects.toMatchObject({ code: 'unavailable' });
});
