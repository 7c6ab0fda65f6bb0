import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dataDirFormat, ensureDataDirFormat } from '../../../src/main/process/data-dir-format.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

describe('ensureDataDirFormat', () => {
  it('creates a missing directory with the current format, and accepts it the next time', async () => {
    const folder = join(await createScratchFolder(), 'data');
    await ensureDataDirFormat(folder);
    expect(await readFile(join(folder, 'format'), 'utf8')).toBe(`${dataDirFormat}\n`);
    await writeFile(join(folder, 'store.sqlite'), '');
    await expect(ensureDataDirFormat(folder)).resolves.toBeUndefined();
  });

  it('lets no other user of the machine into the directory, also into one that others could read', async () => {
    const scratch = await createScratchFolder();
    const readMode = async (folder: string): Promise<number> => {
      await ensureDataDirFormat(folder);
      return (await stat(folder)).mode & 0o777;
    };
    expect(await readMode(join(scratch, 'new'))).toBe(0o700);
    await mkdir(join(scratch, 'old'));
    await chmod(join(scratch, 'old'), 0o755);
    expect(await readMode(join(scratch, 'old'))).toBe(0o700);
  });

  it('rejects a directory with data whose format is unknown', async () => {
    const folder = await createScratchFolder();
    await writeFile(join(folder, 'format'), '');
    await writeFile(join(folder, 'store.sqlite'), '');
    await expect(ensureDataDirFormat(folder)).rejects.toThrow(
      `The data directory ${folder} was written by another version of the service (its format is unknown, this version uses ${dataDirFormat}). Delete or move it to start over, or pass another with --data-dir.`,
    );
  });

  it('rejects a folder with files of someone else, and neither changes it nor tells to delete it', async () => {
    const folder = await createScratchFolder();
    await chmod(folder, 0o755);
    await writeFile(join(folder, 'thesis.tex'), '');
    const error = await ensureDataDirFormat(folder).catch((reason: Error) => reason);
    expect(error).toMatchObject({
      message: `The folder ${folder} has files that the service did not write. Pass an empty or a new folder with --data-dir.`,
    });
    expect((await stat(folder)).mode & 0o777).toBe(0o755);
    expect(await readdir(folder)).toEqual(['thesis.tex']);
  });

  it('rejects a directory with another format and changes nothing in it', async () => {
    const folder = await createScratchFolder();
    await writeFile(join(folder, 'format'), '0\n');
    await mkdir(join(folder, 'codehost'));
    await expect(ensureDataDirFormat(folder)).rejects.toThrow(/its format is 0,.*Delete or move it/);
    expect(await readFile(join(folder, 'format'), 'utf8')).toBe('0\n');
  });

  it('replaces the format of a directory without data, such as after a crash while writing it', async () => {
    const folder = await createScratchFolder();
    await writeFile(join(folder, 'format'), '');
    await ensureDataDirFormat(folder);
    expect(await readFile(join(folder, 'format'), 'utf8')).toBe(`${dataDirFormat}\n`);
  });

  it('names the option to change when the path is a file', async () => {
    const file = join(await createScratchFolder(), 'data');
    await writeFile(file, '');
    await expect(ensureDataDirFormat(file)).rejects.toThrow(/cannot be used .*Pass another with --data-dir\./);
  });

  it.runIf(process.platform === 'linux')('names the option where the system creates no folder', async () => {
    await expect(ensureDataDirFormat('/proc/absent')).rejects.toThrow(/cannot be used .*another with --data-dir\./);
  });
});
