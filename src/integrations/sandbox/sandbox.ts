import type { ChildProcess } from 'node:child_process';

/** What is to run, and all that it may see: a read-only system, `/workspace`, the mounts, and nothing else of the host. */
export type SandboxRequest = {
  /** Program and arguments as seen inside. */
  argv: string[];
  /** Host folder that is `/workspace` inside, the working directory. */
  workspace: { path: string; writable: boolean };
  mounts?: { host: string; inside: string; writable: boolean }[];
  /** The whole environment; nothing of ours is passed on. PATH has a default that finds this process's own Node first. */
  environment?: Record<string, string>;
  /** No network at all unless true; loopback inside always works. */
  network?: boolean;
  limits?: {
    memoryBytes?: number;
    processes?: number;
    fileBytes?: number;
    cpuSeconds?: number;
    /** Of the workspace as a whole, what was there before included. */
    diskBytes?: number;
    diskFiles?: number;
  };
};

export type CommandResult = {
  /** 128 + n when ended by signal n. */
  exitCode: number;
  /** Standard output and error as they came, cut in the middle past the limit. */
  output: string;
  timedOut: boolean;
};

/** Runs somebody else's code so that it can reach nothing of ours; everything it started ends with it. */
export type Sandbox = {
  spawn(request: SandboxRequest): ChildProcess;
  run(
    request: SandboxRequest,
    options: { timeoutMs: number; outputBytesMax: number; signal?: AbortSignal },
  ): Promise<CommandResult>;
};
