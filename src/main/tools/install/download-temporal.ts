import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as tar from 'tar';
import { isExecutable } from '../find-on-path.ts';
import type { Progress, Tool } from '../tool.ts';

export type DownloadRequest = { downloadUrl: string; version: string; workDir: string; onProgress: Progress };

// Without a network the fallback build should start soon.
const RESPONSE_TIMEOUT_MS = 4_000;
const STALL_TIMEOUT_MS = 15_000;
const PROGRESS_INTERVAL_MS = 5_000;

/** Downloads the official release with the same two requests as the SDK's own download. */
export async function downloadTemporal({ downloadUrl, version, workDir, onProgress }: DownloadRequest): Promise<Tool> {
  const query = new URLSearchParams({
    arch: process.arch === 'x64' ? 'amd64' : process.arch,
    platform: process.platform,
    format: 'tar.gz',
  });
  try {
    const response = await fetch(`${downloadUrl}/cli/v${version}?${query.toString()}`, {
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
    });
    if (!response.ok) return { missing: `the download returned ${response.status}` };
    const { archiveUrl, fileToExtract } = (await response.json()) as { archiveUrl: string; fileToExtract: string };
    const archive = join(workDir, 'temporal.tar.gz');
    await saveToFile(archiveUrl, archive, onProgress);
    await tar.extract({ file: archive, cwd: workDir }, [fileToExtract]);
    const path = join(workDir, fileToExtract);
    return (await isExecutable(path)) ? { path } : { missing: 'the download contains no program' };
  } catch (error) {
    return { missing: `the download failed (${toErrorText(error)})` };
  }
}

async function saveToFile(url: string, file: string, onProgress: Progress): Promise<void> {
  const abort = new AbortController();
  let stallTimer = setTimeout(() => abort.abort(new Error('no response')), RESPONSE_TIMEOUT_MS);
  try {
    const response = await fetch(url, { signal: abort.signal });
    if (!response.ok || response.body === null) throw new Error(`${url} returned ${response.status}`);
    const reportProgress = createProgressReporter(onProgress, Number(response.headers.get('content-length')));
    const watched = async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        clearTimeout(stallTimer);
        stallTimer = setTimeout(() => abort.abort(new Error('the transfer stalled')), STALL_TIMEOUT_MS);
        reportProgress(chunk.length);
        yield chunk;
      }
    };
    await pipeline(Readable.fromWeb(response.body), watched, createWriteStream(file));
  } finally {
    clearTimeout(stallTimer);
  }
}

function createProgressReporter(onProgress: Progress, totalBytes: number): (moreBytes: number) => void {
  let receivedBytes = 0;
  let reportedAt = 0;
  return (moreBytes) => {
    receivedBytes += moreBytes;
    if (Date.now() - reportedAt < PROGRESS_INTERVAL_MS) return;
    reportedAt = Date.now();
    const share = totalBytes > 0 ? `: ${Math.floor((100 * receivedBytes) / totalBytes)} %` : '';
    onProgress(`Downloading the Temporal server (once)${share}`);
  };
}

function toErrorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
