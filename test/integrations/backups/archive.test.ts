import { createHmac } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { Decrypter, Encrypter } from 'age-encryption';
import { packTar, type TarEntry, unpackTar } from 'modern-tar';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createEntryDigest, type ArchiveEntry } from '../../../src/integrations/backups/archive-format.ts';
import { readArchive } from '../../../src/integrations/backups/read-archive.ts';
import { createRecoveryKey, deriveArchiveKeys } from '../../../src/integrations/backups/recovery-key.ts';
import { writeArchive } from '../../../src/integrations/backups/write-archive.ts';

const manifest = { backup: 'backup-1', createdAt: '2026-01-01T00:00:00.000Z', version: 'v1', orgs: ['acme'] };
const large = Buffer.alloc(3_000_000, 'payload ');
const entries: ArchiveEntry[] = [
  { name: 'objects/Secret/org-acme/a.json', bytes: Buffer.from('{"secret":"hunter2"}') },
  { name: `blobs/runs/${'long'.repeat(49)}/${'name'.repeat(40)}`, bytes: large },
  { name: 'blobs/empty', bytes: Buffer.alloc(0) },
];

async function write(recoveryKey: string) {
  const parts: Buffer[] = [];
  const written = await writeArchive({
    keys: await deriveArchiveKeys(recoveryKey),
    manifest,
    entries: (async function* () {
      yield* entries;
    })(),
    putPart: async (number, bytes) => {
      await setImmediate();
      parts[number - 1] = Buffer.from(bytes);
    },
  });
  return { written, bytes: Buffer.concat(parts) };
}

async function read(recoveryKey: string, bytes: Uint8Array) {
  const found: ArchiveEntry[] = [];
  const parts = (async function* () {
    // Parts may end anywhere.
    for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
  })();
  const read = await readArchive({ recoveryKey, parts }, async (entry) => void found.push(entry));
  return { manifest: read, entries: found };
}

/** Encrypts a tar file for the recipient of a recovery key, as anyone can who knows the public part. */
async function forge(recipient: string, files: TarEntry[]): Promise<Uint8Array> {
  const encrypter = new Encrypter();
  encrypter.addRecipient(recipient);
  return await encrypter.encrypt(gzipSync(await packTar(files)));
}

const toFile = (name: string, content: object | Uint8Array): TarEntry => {
  const body = content instanceof Uint8Array ? content : Buffer.from(JSON.stringify(content));
  return { header: { name, size: body.byteLength }, body };
};

function seal(files: TarEntry[], key: Uint8Array): TarEntry {
  const digest = createEntryDigest();
  for (const { header, body } of files) digest.add({ name: header.name, bytes: body as Uint8Array });
  const { count, sha256 } = digest.finish();
  return toFile('contents.json', {
    entries: count,
    sha256,
    seal: createHmac('sha256', key).update(sha256).digest('hex'),
  });
}

const refused = { reason: 'archive-refused' };

describe('archives', () => {
  it('return every entry, of which the encrypted bytes show nothing', async () => {
    const key = await createRecoveryKey();
    const { written, bytes } = await write(key);
    expect(written).toMatchObject({ bytes: bytes.length, parts: 1, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(bytes.length).toBeLessThan(large.length / 2);
    for (const text of ['hunter2', 'Secret', 'acme']) expect(bytes.includes(text)).toBe(false);
    const found = await read(key, bytes);
    expect(found.manifest).toEqual({ format: 1, ...manifest });
    expect(found.entries.map(({ name, bytes: content }) => [name, Buffer.from(content)])).toEqual(
      entries.map(({ name, bytes: content }) => [name, Buffer.from(content)]),
    );
  });

  it('can be opened with age and tar, without the service', async () => {
    const key = await createRecoveryKey();
    const decrypter = new Decrypter();
    decrypter.addIdentity(key);
    const files = await unpackTar(gunzipSync(await decrypter.decrypt((await write(key)).bytes)));
    expect(files.map(({ header }) => header.name)).toEqual([
      'manifest.json',
      ...entries.map(({ name }) => name),
      'contents.json',
    ]);
  });

  it('are refused with another key, and no error repeats a key', async () => {
    const { bytes } = await write(await createRecoveryKey());
    const other = await createRecoveryKey();
    await expect(read(other, bytes)).rejects.toMatchObject({ reason: 'recovery-key-wrong' });
    const malformed = 'AGE-SECRET-KEY-1MALFORMED';
    const error = await read(malformed, bytes).catch((reason: Error) => reason);
    expect(error).toMatchObject({ reason: 'recovery-key-wrong' });
    expect(String(error)).not.toContain('MALFORMED');
  });

  it('are refused when they are cut off anywhere', async () => {
    const key = await createRecoveryKey();
    const { bytes } = await write(key);
    const lengths = [0, 1, 100, 1000, bytes.length - 70_000, bytes.length - 1].filter((length) => length >= 0);
    for (const length of lengths)
      await expect(read(key, bytes.subarray(0, length)), `${length} bytes`).rejects.toMatchObject({
        reason: expect.stringMatching(/^(archive-refused|recovery-key-wrong)$/),
      });
    await expect(read(key, Buffer.concat([bytes, Buffer.from('x')]))).rejects.toMatchObject(refused);
  });

  it('are refused when any bit is flipped', async () => {
    const key = await createRecoveryKey();
    const { bytes } = await write(key);
    const step = Math.ceil(bytes.length / 40);
    for (let at = 0; at < bytes.length; at += step) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      await expect(read(key, changed), `byte ${at}`).rejects.toMatchObject({
        reason: expect.stringMatching(/^(archive-refused|recovery-key-wrong)$/),
      });
    }
  });

  it('are refused when they are not sealed with the recovery key', async () => {
    const key = await createRecoveryKey();
    const keys = await deriveArchiveKeys(key);
    const files = [toFile('manifest.json', { format: 1, ...manifest }), toFile('objects/a.json', { a: 1 })];
    const sealed = await forge(keys.recipient, [...files, seal(files, keys.seal)]);
    expect((await read(key, sealed)).entries).toHaveLength(1);
    const forged = await forge(keys.recipient, [...files, seal(files, new Uint8Array(32))]);
    await expect(read(key, forged)).rejects.toMatchObject(refused);
  });

  it('are refused when an entry is missing, added, renamed or moved', async () => {
    const key = await createRecoveryKey();
    const { recipient, seal: sealKey } = await deriveArchiveKeys(key);
    const [head, one, two] = [
      toFile('manifest.json', { format: 1, ...manifest }),
      toFile('objects/one.json', { a: 1 }),
      toFile('objects/two.json', { a: 2 }),
    ];
    const contents = seal([head, one, two], sealKey);
    const renamed = toFile('objects/other.json', { a: 2 });
    for (const files of [
      [head, one, contents],
      [head, one, two, two, contents],
      [head, one, renamed, contents],
      [head, two, one, contents],
      [head, one, two, contents, one],
      [one, head, two, contents],
      [head, one, two],
      [],
    ])
      await expect(read(key, await forge(recipient, files))).rejects.toMatchObject(refused);
  });

  it('are refused with links, another format or a manifest that is none', async () => {
    const key = await createRecoveryKey();
    const { recipient, seal: sealKey } = await deriveArchiveKeys(key);
    const link: TarEntry = { header: { name: 'objects/x', size: 0, type: 'symlink', linkname: '/etc/passwd' } };
    const head = toFile('manifest.json', { format: 1, ...manifest });
    await expect(read(key, await forge(recipient, [head, link]))).rejects.toMatchObject(refused);
    for (const content of [{ format: 2, ...manifest }, { format: 1 }, Buffer.from('{')]) {
      const files = [toFile('manifest.json', content)];
      await expect(read(key, await forge(recipient, [...files, seal(files, sealKey)]))).rejects.toMatchObject(refused);
    }
  });

  it('say why they are refused', async () => {
    const key = await createRecoveryKey();
    const { recipient, seal: sealKey } = await deriveArchiveKeys(key);
    const head = toFile('manifest.json', { format: 1, ...manifest });
    const one = toFile('objects/one.json', { a: 1 });
    const contents = seal([head, one], sealKey);
    const valid = JSON.parse(Buffer.from(contents.body as Uint8Array).toString()) as Record<string, unknown>;
    const changed = (change: object) => toFile('contents.json', { ...valid, ...change });
    const notComplete = 'It is not complete.';
    const notOurs = 'It was not written by an installation that had this recovery key.';
    for (const [files, cause] of [
      [[head, one, contents, one], 'It continues after its last entry.'],
      [[head, one, contents, contents], 'It continues after its last entry.'],
      [[head, one], notComplete],
      [[], notComplete],
      [[head, one, changed({ entries: 3 })], notComplete],
      [[head, one, changed({ sha256: '00' })], notComplete],
      [[head, one, changed({ seal: '00' })], notOurs],
      [[head, one, changed({ seal: '00'.repeat(32) })], notOurs],
      [[head, one, changed({ more: 1 })], '"contents.json" is not valid.'],
      [[contents], 'It does not begin with a manifest.'],
      [
        [toFile('manifest.json', { ...manifest, format: 2 })],
        'It has the format 2, and this version of the service reads 1.',
      ],
      [[toFile('manifest.json', { format: 1 })], '"manifest.json" is not valid.'],
      [[toFile('manifest.json', Buffer.from('{'))], '"manifest.json" is not valid.'],
      [[head, { header: { name: 'x', size: 0, type: 'directory' as const } }], '"x" is not a file.'],
    ] as [TarEntry[], string][])
      await expect(read(key, await forge(recipient, files)), cause).rejects.toMatchObject({
        ...refused,
        message: `The archive cannot be restored. ${cause} Nothing was written.`,
      });
    const cut = (await write(key)).bytes.subarray(0, -1);
    await expect(read(key, cut)).rejects.toMatchObject({
      message: expect.stringContaining('It was damaged or cut off.'),
    });
    await expect(read(await createRecoveryKey(), cut)).rejects.toMatchObject({
      errors: [{ pointer: '/recoveryKey', detail: 'does not decrypt the archive' }],
    });
  });

  it('stop when an entry cannot be restored', async () => {
    const key = await createRecoveryKey();
    const { bytes } = await write(key);
    const visited: string[] = [];
    const parts = (async function* () {
      yield bytes;
    })();
    const reading = readArchive({ recoveryKey: key, parts }, async ({ name }) => {
      visited.push(name);
      await setImmediate();
      throw new Error('disk is full');
    });
    await expect(reading).rejects.toThrow('disk is full');
    expect(visited).toEqual([entries[0]?.name]);
  });

  it.each([
    ['before', 0],
    ['after', 1],
  ])('fail with the error of the destination %s its first part', async (_, count) => {
    const key = await createRecoveryKey();
    const { bytes } = await write(key);
    const parts = (async function* () {
      if (count > 0) yield bytes.subarray(0, bytes.length / 2);
      await setImmediate();
      throw new Error('the disk cannot be read');
    })();
    await expect(readArchive({ recoveryKey: key, parts }, async () => {})).rejects.toThrow('the disk cannot be read');
  });

  it('fail with the error of the destination or of the entries', async () => {
    const keys = await deriveArchiveKeys(await createRecoveryKey());
    const failing = async function* (): AsyncGenerator<ArchiveEntry> {
      yield* entries;
      throw new Error('store is away');
    };
    const written = writeArchive({ keys, manifest, entries: failing(), putPart: async () => {} });
    await expect(written).rejects.toThrow('store is away');
    const full = writeArchive({
      keys,
      manifest,
      entries: (async function* () {
        yield* entries;
      })(),
      putPart: async () => await Promise.reject(new Error('disk is full')),
    });
    await expect(full).rejects.toThrow('disk is full');
  });
});
