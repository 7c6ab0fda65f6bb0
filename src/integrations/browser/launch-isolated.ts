import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { Server } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { type Browser as Chromium, connect, defaultArgs } from 'puppeteer-core';
import { createNamespaceKiller } from '../../processes/kill-namespace.ts';
import { type Site, viewport } from './browser.ts';
import { isolatedCommand, pipeFds, profileInside, proxyPort } from './isolation.ts';
import { pipeTransport } from './pipe-transport.ts';
import { serveSiteProxies, type SiteProxy } from './site-proxy.ts';

export type IsolatedChromium = {
  chromium: Chromium;
  /** Opens the browser's network to one site. */
  openProxy(site: Site): SiteProxy;
  /** Kills the browser with all its processes. */
  kill(): void;
  /** Resolves when no process of the browser is left, so that its profile can be removed. */
  ended: Promise<void>;
};

export type LaunchOptions = {
  bubblewrap: string;
  executable: string;
  profile: string;
  flags: string[];
  timeoutMs: number;
};

/** Starts a browser in namespaces of its own. It exits when this process exits, even if this process is killed. */
export async function launchIsolated({ flags, timeoutMs, ...command }: LaunchOptions): Promise<IsolatedChromium> {
  const defaults = await defaultArgs({ headless: true, args: flags, userDataDir: profileInside });
  // Each capture opens a page of its own, so the browser starts without one.
  const args = [...defaults.filter((arg) => arg !== 'about:blank'), '--no-startup-window', '--remote-debugging-pipe'];
  const [program, ...rest] = isolatedCommand({ ...command, args });
  const child = spawn(program, rest, { cwd: '/', env: {}, stdio: stdioOptions() });
  const kill = createNamespaceKiller(child, pipeFds.info);
  const timer = setTimeout(kill, timeoutMs);
  try {
    const ended = rejectOnEnd(child);
    const transport = pipeTransport(
      child.stdio[pipeFds.commands] as Writable,
      child.stdio[pipeFds.answers] as Readable,
    );
    // The end of the browser tells more than the error that it causes here.
    const connected = connect({ transport, defaultViewport: viewport, protocolTimeout: timeoutMs }).catch(() => ended);
    const [server, chromium] = await Promise.race([Promise.all([receiveServer(child), connected]), ended]);
    child.once('exit', () => server.close());
    const hasEnded = ended.catch(() => undefined);
    return { chromium, openProxy: serveSiteProxies(server, proxyPort), kill, ended: hasEnded };
  } catch (error) {
    kill();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Inherited files of this process are replaced, so that the browser does not inherit them. */
function stdioOptions(): StdioOptions {
  const highest = Math.max(...readdirSync('/proc/self/fd').map(Number));
  const rest = Array.from({ length: Math.max(0, highest - pipeFds.info) }, () => 'ignore' as const);
  return ['ignore', 'ignore', 'pipe', 'pipe', 'pipe', 'ipc', 'pipe', ...rest];
}

/** Receives the socket that a process in the browser's network has opened. */
async function receiveServer(child: ChildProcess): Promise<Server> {
  return await new Promise((resolve) => {
    child.once('message', (_message, handle) => {
      if (handle instanceof Server) resolve(handle);
    });
  });
}

async function rejectOnEnd(child: ChildProcess): Promise<never> {
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-2_000)));
  return await new Promise((_, reject) => {
    child.once('error', reject);
    child.once('close', () => {
      const reason = output.trim().split('\n').at(-1) || 'no reason given';
      reject(new Error(`The browser could not be started: ${reason.slice(0, 200)}`));
    });
  });
}
