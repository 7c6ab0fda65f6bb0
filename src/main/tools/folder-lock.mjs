// Plain JavaScript, because bootstrap.mjs needs it before there is a Node that runs TypeScript.
import { mkdirSync, readFileSync, rmdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const BEAT_MS = 2_000;
// Fifteen beats: a holder that lives misses so many only when it is suspended.
const SILENCE_MS = 30_000;

/** Runs the task while nobody else on this machine runs one under the same folder's name; `onWait` once, if it must. */
export async function withFolderLock(folder, task, onWait = () => {}) {
  for (let tries = 0; !take(folder); tries += 1) {
    if (tries === 1) onWait();
    await pause(200);
  }
  const beat = setInterval(() => isOurs(folder) && utimesSync(folder, new Date(), new Date()), BEAT_MS);
  try {
    return await task();
  } finally {
    clearInterval(beat);
    if (isOurs(folder)) rmSync(folder, { recursive: true, force: true });
  }
}

function take(folder) {
  if (makeFolder(folder)) {
    writeFileSync(join(folder, 'owner'), String(process.pid));
    return true;
  }
  if (isStale(folder)) clearStale(folder);
  return false;
}

/** Two who find the same stale lock must not both remove it: the second would remove the first one's new lock. */
function clearStale(folder) {
  const clearing = `${folder}.clearing`;
  if (!makeFolder(clearing)) {
    if (ageMs(clearing) > SILENCE_MS) rmdirSync(clearing);
    return;
  }
  try {
    if (isStale(folder)) rmSync(folder, { recursive: true, force: true });
  } finally {
    rmdirSync(clearing);
  }
}

function isStale(folder) {
  const owner = ownerOf(folder);
  return ageMs(folder) > SILENCE_MS || (owner !== undefined && !isAlive(owner));
}

const isOurs = (folder) => ownerOf(folder) === process.pid;

function ownerOf(folder) {
  try {
    return Number(readFileSync(join(folder, 'owner'), 'utf8')) || undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function ageMs(folder) {
  try {
    return Date.now() - statSync(folder).mtimeMs;
  } catch {
    return 0;
  }
}

function makeFolder(folder) {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}
