import type { ChildProcess } from 'node:child_process';

/** A command. It sees a read-only system, `/workspace` and the mounts, and no other file of the host. */
export type SandboxRequest = {
  /** The program and its arguments, with paths inside the sandbox. */
  argv: string[];
  /** The host folder that is mounted as `/workspace`, the working directory. */
  workspace: { path: string; writable: boolean };
  mounts?: { host: string; inside: string; writable: boolean }[];
  /** Added to the default environment. No variable of this process is passed on. */
  environment?: Record<string, string>;
  /**
   * The Unix socket of the proxy that is the only way out. The command finds it through the usual proxy variables. With
   * and without it, only the loopback interface inside works.
   */
  network?: { proxySocket: string };
  limits?: {
    memoryBytes?: number;
    processes?: number;
    fileBytes?: number;
    cpuSeconds?: number;
    /** Limits the whole workspace, including files that existed before. */
    diskBytes?: number;
    diskFiles?: number;
  };
};

export type CommandResult = {
  /** 128 + n after signal n. */
  exitCode: number;
  /** Standard output and error in their order; the middle is omitted beyond the limit. */
  output: string;
  timedOut: boolean;
};

export type SandboxedProcess = {
  child: ChildProcess;
  /** Kills the command with all its processes. */
  kill: () => void;
};

/** Runs untrusted code in isolation. All processes of a command end with it. */
export type Sandbox = {
  /** The reason why no command can run on this host. */
  readonly violation?: string;
  /** The reason why no app can run on this host, although commands can. */
  readonly appViolation?: string;
  spawn(request: SandboxRequest): SandboxedProcess;
  run(
    request: SandboxRequest,
    options: { timeoutMs: number; outputBytesMax: number; signal?: AbortSignal },
  ): Promise<CommandResult>;
};
