import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as tar from 'tar';
import { isExecutable } from './find-on-path.ts';
import type { Progress, Tool } from './tool.ts';

export type DownloadRequest = { downloadUrl: string; version: string; workDir: string; onProgress: Progress };

// Where the network refuses it, building must begin soon.
const ANSWER_MS = 4_000;
const SILENCE_MS = 15_000;
const SAY_EVERY_MS = 5_000;

/** The official release, by the same two requests as the SDK's own download makes. */
export async function downloadTemporal({ downloadUrl, version, workDir, onProgress }: DownloadRequest): Promise<Tool> {
  const query = new URLSearchParams({
    arch: process.arch === 'x64' ? 'amd64' : process.arch,
    platform: process.platform,
    format: 'tar.gz',
  });
  try {
    const found = await fetch(`${downloadUrl}/cli/v${version}?${query.toString()}`, {
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    if (!found.ok) return { missing: `the download answers ${found.status}` };
    const { archiveUrl, fileToExtract } = (await found.json()) as { archiveUrl: string; fileToExtract: string };
    const archive = join(workDir, 'temporal.tar.gz');
    await save(archiveUrl, archive, onProgress);
    await tar.extract({ file: archive, cwd: workDir }, [fileToExtract]);
    const path = join(workDir, fileToExtract);
    return (await isExecutable(path)) ? { path } : { missing: 'the download holds no program' };
  } catch (error) {
    return { missing: `the download failed (${reason(error)})` };
  }
}

async function save(url: string, file: string, onProgress: Progress): Promise<void> {
  const giveUp = new AbortController();
  let silence = setTimeout(() => giveUp.abort(new Error('no answer')), ANSWER_MS);
  try {
    const response = await fetch(url, { signal: giveUp.signal });
    if (!response.ok || response.body === null) throw new Error(`${url} answers ${response.status}`);
    const say = everyFewSeconds(onProgress, Number(response.headers.get('content-length')));
    const watched = async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        clearTimeout(silence);
        silence = setTimeout(() => giveUp.abort(new Error('it stopped half way')), SILENCE_MS);
        say(chunk.length);
        yield chunk;
      }
    };
    await pipeline(Readable.fromWeb(response.body), watched, createWriteStream(file));
  } finally {
    clearTimeout(silence);
  }
}

function everyFewSeconds(onProgress: Progress, totalBytes: number): (moreBytes: number) => void {
  let receivedBytes = 0;
  let saidAt = 0;
  return (moreBytes) => {
    receivedBytes += moreBytes;
    if (Date.now() - saidAt < SAY_EVERY_MS) return;
    saidAt = Date.now();
    const share = totalBytes > 0 ? `: ${Math.floor((100 * receivedBytes) / totalBytes)} %` : '';
    onProgress(`Downloading the Temporal server (once)${share}`);
  };
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
