import { describe, expect, it } from 'vitest';
import type { Blobs } from '../../src/integrations/blobs/blobs.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (found: Uint8Array | undefined): string | undefined => found && new TextDecoder().decode(found);

/** What every implementation of blobs must do; `open` gives an empty one. */
export function describeBlobs(name: string, open: () => Promise<Blobs>): void {
  describe(`blobs: ${name}`, () => {
    it('gives back what was put, and the last of several', async () => {
      const blobs = await open();
      expect(await blobs.find('runs/1/implement/0001/answer')).toBeUndefined();
      await blobs.put('runs/1/implement/0001/answer', bytes('first'));
      await blobs.put('runs/1/implement/0001/answer', bytes('second'));
      expect(text(await blobs.find('runs/1/implement/0001/answer'))).toBe('second');
      await blobs.put('empty', new Uint8Array());
      expect((await blobs.find('empty'))?.length).toBe(0);
    });

    it('lists by prefix, in order', async () => {
      const blobs = await open();
      for (const key of ['a/2', 'a/10', 'a/1/x', 'ab/1', 'b']) await blobs.put(key, bytes(key));
      expect(await blobs.list('a/')).toEqual(['a/1/x', 'a/10', 'a/2']);
      expect(await blobs.list('a')).toEqual(['a/1/x', 'a/10', 'a/2', 'ab/1']);
      expect(await blobs.list('nothing/')).toEqual([]);
    });

    it('deletes everything under a prefix and nothing else', async () => {
      const blobs = await open();
      for (const key of ['runs/1/a', 'runs/1/b/c', 'runs/10/a']) await blobs.put(key, bytes(key));
      await blobs.deleteAll('runs/1/');
      await blobs.deleteAll('runs/1/');
      expect(await blobs.list('runs/')).toEqual(['runs/10/a']);
      await blobs.put('runs/1/a', bytes('again'));
      expect(text(await blobs.find('runs/1/a'))).toBe('again');
    });

    it('shows a reader the old bytes or the new ones, never a part', async () => {
      const blobs = await open();
      const versions = ['a', 'b', 'c'].map((letter) => letter.repeat(200_000));
      await blobs.put('big', bytes(versions[0] ?? ''));
      const writing = Promise.all(versions.map((version) => blobs.put('big', bytes(version))));
      for (let look = 0; look < 20; look += 1) expect(versions).toContain(text(await blobs.find('big')));
      await writing;
      expect(await blobs.list('')).toEqual(['big']);
    });

    it('refuses keys that lead elsewhere', async () => {
      const blobs = await open();
      for (const key of ['../x', 'a/../../x', '/etc/passwd', 'a//b', '', '.', 'a/.hidden', 'a\0b', 'a\\b']) {
        await expect(blobs.put(key, bytes('x'))).rejects.toMatchObject({ code: 'invalid' });
        await expect(blobs.find(key)).rejects.toMatchObject({ code: 'invalid' });
      }
      await expect(blobs.list('../')).rejects.toMatchObject({ code: 'invalid' });
    });
  });
}
