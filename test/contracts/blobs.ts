import { describe, expect, it } from 'vitest';
import type { Blobs } from '../../src/integrations/blobs/blobs.ts';

const toBytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const toText = (found: Uint8Array | undefined): string | undefined => found && new TextDecoder().decode(found);

/** Tests the contract of every blob store; `open` returns an empty one. */
export function describeBlobsContract(name: string, open: () => Promise<Blobs>): void {
  describe(`blobs: ${name}`, () => {
    it('returns the bytes of the last put', async () => {
      const blobs = await open();
      expect(await blobs.find('runs/1/implement/0001/answer')).toBeUndefined();
      await blobs.put('runs/1/implement/0001/answer', toBytes('first'));
      await blobs.put('runs/1/implement/0001/answer', toBytes('second'));
      expect(toText(await blobs.find('runs/1/implement/0001/answer'))).toBe('second');
      await blobs.put('empty', new Uint8Array());
      expect((await blobs.find('empty'))?.length).toBe(0);
    });

    it('lists keys by prefix, sorted', async () => {
      const blobs = await open();
      for (const key of ['a/2', 'a/10', 'a/1/x', 'ab/1', 'b']) await blobs.put(key, toBytes(key));
      expect(await blobs.list('a/')).toEqual(['a/1/x', 'a/10', 'a/2']);
      expect(await blobs.list('a')).toEqual(['a/1/x', 'a/10', 'a/2', 'ab/1']);
      expect(await blobs.list('nothing/')).toEqual([]);
    });

    it('deletes everything under a prefix and nothing else', async () => {
      const blobs = await open();
      for (const key of ['runs/1/a', 'runs/1/b/c', 'runs/10/a']) await blobs.put(key, toBytes(key));
      await blobs.deletePrefix('runs/1/');
      await blobs.deletePrefix('runs/1/');
      expect(await blobs.list('runs/')).toEqual(['runs/10/a']);
      await blobs.put('runs/1/a', toBytes('again'));
      expect(toText(await blobs.find('runs/1/a'))).toBe('again');
    });

    it('deletes only what was written before a time', async () => {
      const blobs = await open();
      for (const key of ['runs/1/a', 'runs/1/b']) await blobs.put(key, toBytes(key));
      await blobs.deletePrefix('runs/', { writtenBefore: new Date(Date.now() - 60_000) });
      expect(await blobs.list('runs/')).toEqual(['runs/1/a', 'runs/1/b']);
      await blobs.deletePrefix('runs/', { writtenBefore: new Date(Date.now() + 60_000) });
      expect(await blobs.list('runs/')).toEqual([]);
    });

    it('returns the old or the new bytes during a put, never a part of them', async () => {
      const blobs = await open();
      const versions = ['a', 'b', 'c'].map((letter) => letter.repeat(200_000));
      await blobs.put('big', toBytes(versions[0] ?? ''));
      const writing = Promise.all(versions.map((version) => blobs.put('big', toBytes(version))));
      for (let look = 0; look < 20; look += 1) expect(versions).toContain(toText(await blobs.find('big')));
      await writing;
      expect(await blobs.list('')).toEqual(['big']);
    });

    it('rejects keys that escape the folder', async () => {
      const blobs = await open();
      for (const key of ['../x', 'a/../../x', '/etc/passwd', 'a//b', '', '.', 'a/.hidden', 'a\0b', 'a\\b']) {
        await expect(blobs.put(key, toBytes('x'))).rejects.toMatchObject({ code: 'invalid' });
        await expect(blobs.find(key)).rejects.toMatchObject({ code: 'invalid' });
      }
      await expect(blobs.list('../')).rejects.toMatchObject({ code: 'invalid' });
    });
  });
}
