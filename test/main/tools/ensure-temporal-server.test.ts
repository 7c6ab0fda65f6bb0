import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ensureTemporalServer } from '../../../src/main/tools/ensure-temporal-server.ts';
import { createPathWith } from '../../support/create-path-with.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

// This script logs its call and the sources in its folder, and writes a program to the path after `-o`.
const fakeGo = 'echo "$@" >> "$CALLS"; echo * >> "$CALLS"; sleep 0.3; echo "golang.org/x/net" >&2; cp "$0" "$6"';

async function search(scripts: Record<string, string>, variables: Record<string, string> = {}) {
  const cacheDir = join(await createScratchFolder(), 'cache');
  const messages: string[] = [];
  const calls = join(cacheDir, '..', 'calls');
  const env = { PATH: await createPathWith(scripts), CALLS: calls, ...variables };
  const find = () => ensureTemporalServer({ cacheDir, env, onProgress: (message) => messages.push(message) });
  return { cacheDir, messages, calls, find };
}

describe('the Temporal server', () => {
  it('is built from its Go module, once for two concurrent callers, and cached', async () => {
    const { find, cacheDir, calls, messages } = await search({ go: fakeGo });
    const [first, second] = await Promise.all([find(), find()]);
    expect(second).toEqual(first);
    expect(first).toEqual({ path: expect.stringMatching(/temporal-server-[0-9a-f]{12}$/) });
    const [call = '', sources = ''] = (await readFile(calls, 'utf8')).trim().split('\n');
    expect(call).toMatch(/^build -v -gcflags=all=-dwarf=false -ldflags=-s -w -o \S+temporal-server \.$/);
    expect(sources.split(' ')).toEqual(expect.arrayContaining(['go.mod', 'go.sum', 'main.go']));
    expect(messages[0]).toContain('Building the Temporal server with Go (once, 2 to 3 minutes)');
    expect(await readdir(cacheDir)).toHaveLength(1);
    messages.length = 0;
    expect(await find()).toEqual(first);
    expect(messages).toEqual([]);
  });

  it('is built by a Go that a distribution keeps from downloading a newer one, unless the environment does', async () => {
    const showToolchain = 'echo "$GOTOOLCHAIN" >&2; exit 1';
    const byDefault = await search({ go: showToolchain });
    expect(await byDefault.find()).toEqual({ missing: expect.stringContaining('(auto)') });
    const chosen = await search({ go: showToolchain }, { GOTOOLCHAIN: 'local' });
    expect(await chosen.find()).toEqual({ missing: expect.stringContaining('(local)') });
  });

  it('is missing, with the reason and the fix, when the build fails or Go is missing', async () => {
    const failing = await search({ go: 'echo "go: no such module" >&2; exit 1' });
    expect(await failing.find()).toEqual({
      missing: expect.stringMatching(/Go could not build it \(go: no such module\)\. Fix this error and try again/),
    });
    expect(await readdir(failing.cacheDir)).toEqual([]);
    const without = await search({});
    expect(await without.find()).toEqual({
      missing: expect.stringContaining('Go is not on PATH to build it. Install Go 1.21 or newer'),
    });
  });
});
