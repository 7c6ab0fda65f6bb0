import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import * as tar from 'tar';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ensureTemporalCli } from '../../../src/main/tools/ensure-temporal-cli.ts';
import { createPathWith } from '../../support/create-path-with.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

const unreachableUrl = 'http://127.0.0.1:1';
// This script logs its call to a file and writes a program to the path that `go install` uses.
const fakeGo = 'echo "$@" >> "$CALLS"; sleep 0.3; echo "golang.org/x/net" >&2; cp "$0" "$GOBIN/temporal"';

async function search(scripts: Record<string, string>, downloadUrl = unreachableUrl) {
  const cacheDir = join(await createScratchFolder(), 'cache');
  const messages: string[] = [];
  const calls = join(cacheDir, '..', 'calls');
  const env = { PATH: await createPathWith(scripts), CALLS: calls };
  const find = () => ensureTemporalCli({ cacheDir, env, onProgress: (message) => messages.push(message), downloadUrl });
  return { cacheDir, env, messages, calls, find };
}

describe('the Temporal program', () => {
  it('is found on PATH', async () => {
    const { find, env } = await search({ temporal: 'exit 0' });
    expect(await find()).toEqual({ path: join(env.PATH, 'temporal') });
  });

  it('is taken from the cache without any output', async () => {
    const { find, cacheDir, messages } = await search({});
    await mkdir(cacheDir);
    await writeFile(join(cacheDir, 'temporal-1.5.1'), '');
    await chmod(join(cacheDir, 'temporal-1.5.1'), 0o755);
    expect(await find()).toEqual({ path: join(cacheDir, 'temporal-1.5.1') });
    expect(messages).toEqual([]);
  });

  it('is downloaded and cached', async () => {
    const { find, cacheDir, messages } = await search({}, await startDownloadServer());
    expect(await find()).toEqual({ path: join(cacheDir, 'temporal-1.5.1') });
    expect(await readFile(join(cacheDir, 'temporal-1.5.1'), 'utf8')).toContain('the released one');
    expect(messages[0]).toMatch(/^Downloading the Temporal server \(once\): \d+ %$/);
    expect(await readdir(cacheDir)).toEqual(['temporal-1.5.1']);
  });

  it('is built with Go when the download fails', async () => {
    const { find, cacheDir, messages, calls } = await search({ go: fakeGo });
    expect(await find()).toEqual({ path: join(cacheDir, 'temporal-1.5.1') });
    expect(await readFile(calls, 'utf8')).toBe(
      'install -v -ldflags=-s -w github.com/temporalio/cli/cmd/temporal@v1.5.1\n',
    );
    expect(messages[0]).toContain('Building the Temporal server with Go (once, 2 to 3 minutes)');
    expect(await readdir(cacheDir)).toEqual(['temporal-1.5.1']);
  });

  it('is built once for two concurrent callers', async () => {
    const { find, calls, messages } = await search({ go: fakeGo });
    const [first, second] = await Promise.all([find(), find()]);
    expect(second).toEqual(first);
    expect((await readFile(calls, 'utf8')).trim().split('\n')).toHaveLength(1);
    expect(messages).toContain('Another process is installing temporal-1.5.1; waiting for it');
  });

  it('is missing, with both reasons and the fix, when download and build fail', async () => {
    const { find, cacheDir } = await search({ go: 'echo "go: no such module" >&2; exit 1' });
    const found = await find();
    expect(found).toEqual({ missing: expect.stringContaining('Go could not build it (go: no such module)') });
    expect(found).toEqual({ missing: expect.stringMatching(/download failed .*Install the Temporal CLI/) });
    expect(await readdir(cacheDir)).toEqual([]);
  });

  it('is missing when Go is missing too', async () => {
    const { find } = await search({});
    expect(await find()).toEqual({ missing: expect.stringContaining('Go is not on PATH to build it') });
  });
});

/** Serves the two requests of the official download: the URL of the archive, then the archive. */
async function startDownloadServer(): Promise<string> {
  const folder = await createScratchFolder();
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
