import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import * as tar from 'tar';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporalCli } from '../../../src/main/tools/temporal-cli.ts';
import { pathWith, scratchFolder } from '../../support/programs.ts';

const nowhere = 'http://127.0.0.1:1';
// Says which call it is, one line in a file, before it puts a program where `go install` would.
const fakeGo = 'echo "$@" >> "$CALLS"; sleep 0.3; echo "golang.org/x/net" >&2; cp "$0" "$GOBIN/temporal"';

async function search(scripts: Record<string, string>, downloadUrl = nowhere) {
  const cacheDir = join(await scratchFolder(), 'cache');
  const said: string[] = [];
  const calls = join(cacheDir, '..', 'calls');
  const env = { PATH: await pathWith(scripts), CALLS: calls };
  const find = () => temporalCli({ cacheDir, env, onProgress: (message) => said.push(message), downloadUrl });
  return { cacheDir, env, said, calls, find };
}

describe('the Temporal program', () => {
  it('is the one on PATH where there is one', async () => {
    const { find, env } = await search({ temporal: 'exit 0' });
    expect(await find()).toEqual({ path: join(env.PATH, 'temporal') });
  });

  it('is the one kept from an earlier time, without a word', async () => {
    const { find, cacheDir, said } = await search({});
    await mkdir(cacheDir);
    await writeFile(join(cacheDir, 'temporal-1.5.1'), '');
    await chmod(join(cacheDir, 'temporal-1.5.1'), 0o755);
    expect(await find()).toEqual({ path: join(cacheDir, 'temporal-1.5.1') });
    expect(said).toEqual([]);
  });

  it('is downloaded and kept where the network lets us', async () => {
    const { find, cacheDir, said } = await search({}, await downloadService());
    expect(await find()).toEqual({ path: join(cacheDir, 'temporal-1.5.1') });
    expect(await readFile(join(cacheDir, 'temporal-1.5.1'), 'utf8')).toContain('the released one');
    expect(said[0]).toMatch(/^Downloading the Temporal server \(once\): \d+ %$/);
    expect(await readdir(cacheDir)).toEqual(['temporal-1.5.1']);
  });

  it('is built with Go where the download is refused', async () => {
    const { find, cacheDir, said, calls } = await search({ go: fakeGo });
    expect(await find()).toEqual({ path: join(cacheDir, 'temporal-1.5.1') });
    expect(await readFile(calls, 'utf8')).toBe(
      'install -v -ldflags=-s -w github.com/temporalio/cli/cmd/temporal@v1.5.1\n',
    );
    expect(said[0]).toContain('Building the Temporal server with Go (once, 2 to 3 minutes)');
    expect(await readdir(cacheDir)).toEqual(['temporal-1.5.1']);
  });

  it('is built once for two who need it at the same time', async () => {
    const { find, calls, said } = await search({ go: fakeGo });
    const [first, second] = await Promise.all([find(), find()]);
    expect(second).toEqual(first);
    expect((await readFile(calls, 'utf8')).trim().split('\n')).toHaveLength(1);
    expect(said).toContain('Another process is getting temporal-1.5.1; waiting for it');
  });

  it('is missing, with both reasons and the fix, where nothing works', async () => {
    const { find, cacheDir } = await search({ go: 'echo "go: no such module" >&2; exit 1' });
    const found = await find();
    expect(found).toEqual({ missing: expect.stringContaining('Go could not build it (go: no such module)') });
    expect(found).toEqual({ missing: expect.stringMatching(/download failed .*Install the Temporal CLI/) });
    expect(await readdir(cacheDir)).toEqual([]);
  });

  it('is missing where Go is too', async () => {
    const { find } = await search({});
    expect(await find()).toEqual({ missing: expect.stringContaining('Go, which could build it, is not on PATH') });
  });
});

/** Answers as the official download does: first where the archive is, then the archive. */
async function downloadService(): Promise<string> {
  const folder = await scratchFolder();
  await writeFile(join(folder, 'temporal'), '#!/bin/sh\necho the released one\n');
  await chmod(join(folder, 'temporal'), 0o755);
  await tar.create({ cwd: folder, file: join(folder, 'archive.tar.gz'), gzip: true }, ['temporal']);
  const archive = await readFile(join(folder, 'archive.tar.gz'));
  const server = createServer((request, response) => {
    const isArchive = request.url === '/archive.tar.gz';
    const info = { archiveUrl: `${origin}/archive.tar.gz`, fileToExtract: 'temporal' };
    if (!isArchive && !request.url?.startsWith('/cli/v1.5.1?')) response.statusCode = 404;
    response.end(isArchive ? archive : JSON.stringify(info));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return origin;
}
