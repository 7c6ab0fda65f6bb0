import type { Message, ToolCall } from '../../integrations/models/models.ts';
import type { SkippedEvidence, Usage, Verdict } from '../changes/kinds.ts';
import type { RoundTrigger } from './prompts.ts';

/** The commits of a conflict; they stay the same for the whole round, even if both branches move. */
export type Conflict = { branchSha: string; baseSha: string; files: string[]; at: string };

/** The start of a round of turns; only the first prompt of a step has the system prompt. */
export type PromptPart = {
  system?: string;
  messages: Message[];
  trigger: RoundTrigger;
  conflict?: Conflict;
  at?: string;
  /** The time of the person's last answer that the prompt takes into account. */
  answeredAt?: string;
};

export type ResponsePart = {
  messages: Message[];
  toolCalls: ToolCall[];
  text: string;
  usage: Usage;
  /** The model that answered. */
  model?: string;
  at?: string;
};

/** The content of the step's evidence folder after a turn; the bytes are separate blobs, named by their hash. */
export type StoredEvidence = {
  files: { name: string; type: string; sizeBytes: number; hash: string }[];
  skipped: SkippedEvidence[];
};

/** The tool results of a turn; `evidence` is set when the turn changed it. */
export type ResultsPart = {
  messages: Message[];
  verdict?: Verdict;
  changed: boolean;
  at: string;
  evidence?: StoredEvidence;
  /** The time that the tools took. */
  seconds?: number;
};
