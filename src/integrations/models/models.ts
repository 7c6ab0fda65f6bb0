import type { ModelMessage } from 'ai';
import type { ModelPrice } from '../../rules/agents/model-prices.ts';
import type { ModelProvider, ProviderKind } from '../../rules/agents/model-provider.ts';
import type { Usage } from '../../rules/changes/kinds.ts';

/** One message of a conversation, as it is kept in the transcript. */
export type Message = ModelMessage;

export type ToolDefinition = { name: string; description: string; parameters: Record<string, unknown> };

/** `problem` says why the call is not even well-formed: broken JSON, or a tool that does not exist. */
export type ToolCall = { id: string; name: string; input: unknown; problem?: string };

export type Answer = {
  messages: Message[];
  text: string;
  toolCalls: ToolCall[];
  usage: Usage;
};

export type Question = {
  system: string;
  messages: Message[];
  tools: ToolDefinition[];
  signal?: AbortSignal | undefined;
};

/**
 * One model of a provider. Refused as `unavailable` when the same question may succeed later; a refusal that a setting
 * causes names its field in `errors`.
 */
export type Model = { readonly name: string; answer(question: Question): Promise<Answer> };

/** A model whose answers say what they cost, where that is known. */
export type PricedModel = Model & { readonly isPriced: boolean };

export type OfferedModel = {
  model: string;
  /** How many tokens a question may have. */
  contextTokens?: number;
  price?: ModelPrice & { source: 'org' | 'known' };
  /** What agents use that name no other. */
  isDefault: boolean;
};

export type Models = {
  /** A model of the org's own provider, or of the installation's where it has none; its default one unless named. */
  forOrg(org: string, model?: string): Promise<PricedModel>;
  /** What that provider offers now, and what is known of it. */
  offered(org: string): Promise<OfferedModel[]>;
  /** Asks something tiny, as agents will: refused as `invalid` where a setting is wrong. */
  check(provider: ModelProvider): Promise<void>;
  /** What orgs without a provider of their own use. */
  readonly installation: { kind: ProviderKind; model: string } | undefined;
};

export type ToolResult = { call: ToolCall; text: string; isError: boolean };

/** The message that answers the tool calls of the message before it. */
export function toolResultsMessage(results: ToolResult[]): Message {
  return {
    role: 'tool',
    content: results.map(({ call, text, isError }) => ({
      type: 'tool-result',
      toolCallId: call.id,
      toolName: call.name,
      output: { type: isError ? 'error-text' : 'text', value: text },
    })),
  };
}
