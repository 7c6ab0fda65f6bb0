import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pid } from 'node:process';
import { type Browser as Chromium, launch } from 'puppeteer-core';
import { expect, it, onTestFinished } from 'vitest';
import { launchIsolated } from '../../../src/integrations/browser/launch-isolated.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';
import { chromiumPath, describeWithChromium, findBrowserPid, isolatedBy } from '../../support/servers/chromium.ts';
import { startCanary } from '../../support/servers/test-sites.ts';

/** A flag for a browser that nothing but its sandbox keeps from the network, as a page that took it over would. */
const direct = ['--proxy-server=direct://'];

async function startIsolated(folder: string): Promise<Chromium> {
  const profile = join(folder, 'profile');
  await mkdir(profile);
  const { chromium, kill, ended } = await launchIsolated({ ...isolatedBy(profile), flags: direct });
  onTestFinished(async () => {
    kill();
    await ended;
  });
  return chromium;
}

async function startOpen(): Promise<Chromium> {
  const open = await launch({ executablePath: chromiumPath, pipe: true, args: ['--no-sandbox', ...direct] });
  onTestFinished(async () => await open.close());
  return open;
}

/** Returns the text of a page, or the error of the browser. */
async function readUrl(chromium: Chromium, url: string): Promise<string> {
  const page = await chromium.newPage();
  try {
    await page.goto(url, { timeout: 60_000 });
    return String(await page.evaluate('document.body.innerText'));
  } catch (error) {
    return (error as Error).message;
  } finally {
    await page.close();
  }
}

/** Launches a program that prints the lines and exits, in place of `bwrap`. */
async function launchPrinting(...lines: string[]): Promise<unknown> {
  const folder = await createScratchFolder();
  const bubblewrap = join(folder, 'bwrap');
  await writeFile(bubblewrap, ['#!/bin/sh', ...lines.map((line) => `echo '${line}' >&2`)].join('\n'), { mode: 0o755 });
  const command = { bubblewrap, executable: process.execPath, profile: folder, flags: [], timeoutMs: 120_000 };
  return await launchIsolated(command).catch((error: unknown) => error);
}

it('tells the last line of a browser that does not start, cut to a readable length', async () => {
  const start = 'The browser could not be started: ';
  expect(await launchPrinting('a warning', 'bwrap: no permission')).toEqual(new Error(`${start}bwrap: no permission`));
  expect(await launchPrinting('x'.repeat(300))).toEqual(new Error(`${start}${'x'.repeat(200)}`));
  expect(await launchPrinting()).toEqual(new Error(`${start}no reason given`));
});

describeWithChromium('launchIsolated', () => {
  it('leaves nothing of the service to read for a page that took the browser over', async () => {
    const folder = await createScratchFolder();
    const files = ['store.sqlite', 'token', 'setup-token'].map((name) => join(folder, name));
    for (const file of files) await writeFile(file, 'the secret of the service');
    const [isolated, open] = [await startIsolated(folder), await startOpen()];
    for (const path of [...files, `/proc/${pid}/environ`, '/etc/passwd', '/etc/hostname', '/root', '/home', '/var/run'])
      expect(await readUrl(isolated, `file://${path}`), path).toContain('ERR_FILE_NOT_FOUND');
    for (const file of files) expect(await readUrl(open, `file://${file}`)).toBe('the secret of the service');
    expect(await readUrl(open, `file:///proc/${pid}/cmdline`)).not.toContain('ERR_');
    const names = [...(await readUrl(isolated, 'file:///')).matchAll(/^(\w+)\/?\s/gm)].map(([, name]) => name);
    expect(names).toEqual(expect.arrayContaining(['usr', 'profile']));
    expect(names.filter((name) => /^(work|root|home|var|data|run|srv|mnt)$/.test(name ?? ''))).toEqual([]);
  });

  it('reaches no address of the host without a proxy', async () => {
    const canary = await startCanary();
    const [isolated, open] = [await startIsolated(await createScratchFolder()), await startOpen()];
    expect(await readUrl(isolated, canary.at('127.0.0.1'))).toContain('ERR_CONNECTION_REFUSED');
    expect(canary.connections).toEqual([]);
    expect(await readUrl(open, canary.at('127.0.0.1'))).toBe('secret');
  });

  it('isolates pages by the sandbox of the browser too', async () => {
    const isolated = await startIsolated(await createScratchFolder());
    const text = await readUrl(isolated, 'chrome://sandbox');
    expect(text).toContain('You are adequately sandboxed.');
  });

  it('ends with all processes of the browser, and tells why one cannot start', async () => {
    const folder = await createScratchFolder();
    await mkdir(join(folder, 'profile'));
    const { kill, ended } = await launchIsolated({ ...isolatedBy(join(folder, 'profile')), flags: [] });
    expect(findBrowserPid(folder)).toBeGreaterThan(0);
    kill();
    await ended;
    await expect.poll(() => findBrowserPid(folder)).toBeUndefined();
    const gone = launchIsolated({ ...isolatedBy(join(folder, 'gone')), flags: [] });
    await expect(gone).rejects.toThrow(/could not be started: bwrap: .*gone/);
  });
});
