import type { DemoState } from './demo-state.ts';
import type { Terminal } from './terminal.ts';
import type { ReleaseView, RunView } from './views.ts';

export type DemoOptions = {
  /** `http://localhost:8080/api` */
  baseUrl: string;
  /** Absent once the root user exists. */
  setupToken?: string | undefined;
  /** The token of the owner at the code host, who registers the app of the org. */
  codehostToken: string;
  org: string;
  product: string;
  repo: string;
  issue: { title: string; body: string };
  /** Whether the agent of a step that is retried begins again. */
  startOver?: boolean;
  state: DemoState;
  terminal: Terminal;
  pollIntervalMs: number;
  /** Throws when agents cannot work. It is called before an issue is opened or a step is retried. */
  assertReady: () => Promise<void>;
};

/** `guidance` is the question of a step that waits, when there is no person at the terminal to answer it. */
export type DemoResult = {
  run: RunView;
  release: ReleaseView | undefined;
  guidance?: { step: string; question: string };
};
