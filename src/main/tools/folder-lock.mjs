// This is plain JavaScript because bootstrap.mjs runs it before a Node that supports TypeScript is installed.
import { mkdirSync, readFileSync, rmdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const HEARTBEAT_MS = 2_000;
// A live owner misses fifteen heartbeats only when its process is suspended.
const STALE_AFTER_MS = 30_000;

/** Runs the task while no other process holds the lock folder; calls `onWait` once if it has to wait. */
export async function withFolderLock(folder, task, onWait = () => {}) {
  for (let tries = 0; !tryAcquire(folder); tries += 1) {
    if (tries === 1) onWait();
    await pause(200);
  }
  const heartbeat = setInterval(
    () => isOwnedByThisProcess(folder) && utimesSync(folder, new Date(), new Date()),
    HEARTBEAT_MS,
  );
  try {
    return await task();
  } finally {
    clearInterval(heartbeat);
    if (isOwnedByThisProcess(folder)) rmSync(folder, { recursive: true, force: true });
  }
}

function tryAcquire(folder) {
  if (makeFolder(folder)) {
    writeFileSync(join(folder, 'owner'), String(process.pid));
    return true;
  }
  if (isStale(folder)) removeStaleLock(folder);
  return false;
}

/** Guards the removal, because a second process that finds the stale lock would remove the first one's new lock. */
function removeStaleLock(folder) {
  const clearing = `${folder}.clearing`;
  if (!makeFolder(clearing)) {
    if (ageMs(clearing) > STALE_AFTER_MS) rmdirSync(clearing);
    return;
  }
  try {
    if (isStale(folder)) rmSync(folder, { recursive: true, force: true });
  } finally {
    rmdirSync(clearing);
  }
}

function isStale(folder) {
  const owner = readOwner(folder);
  return ageMs(folder) > STALE_AFTER_MS || (owner !== undefined && !isAlive(owner));
}

const isOwnedByThisProcess = (folder) => readOwner(folder) === process.pid;

function readOwner(folder) {
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
