import type { ModelMessage } from 'ai';
import type { ModelPrice } from '../../rules/agents/model-prices.ts';
import type { ModelProvider, ProviderKind } from '../../rules/agents/model-provider.ts';
import type { Usage } from '../../rules/changes/kinds.ts';

/** One message of a conversation, in the format of the transcript. */
export type Message = ModelMessage;

export type ToolDefinition = { name: string; description: string; parameters: Record<string, unknown> };

/** `error` is set when the call is malformed: invalid JSON, or a tool that does not exist. */
export type ToolCall = { id: string; name: string; input: unknown; error?: string };

export type ModelResponse = {
  messages: Message[];
  text: string;
  toolCalls: ToolCall[];
  usage: Usage;
};

export type ModelRequest = {
  system: string;
  messages: Message[];
  tools: ToolDefinition[];
  signal?: AbortSignal | undefined;
};

/**
 * One model of a provider. Throws `unavailable` when a retry may succeed; an error that a setting causes names its field
 * in `errors`.
 */
export type Model = { readonly name: string; generate(request: ModelRequest): Promise<ModelResponse> };

/** A model that reports the cost of its responses when its price is known. */
export type PricedModel = Model & { readonly isPriced: boolean };

export type OfferedModel = {
  model: string;
  /** The size of the context window. */
  contextTokens?: number;
  price?: ModelPrice & { source: 'org' | 'built-in' };
  /** Used by agents that do not choose a model. */
  isDefault: boolean;
};

export type Models = {
  /** Opens a model of the org's own provider, or of the default provider. Without a name it is the provider's default. */
  forOrg(org: string, model?: string): Promise<PricedModel>;
  /** Lists the models of that provider, with their prices and context windows. */
  listOffered(org: string): Promise<OfferedModel[]>;
  /** Sends a small request with a tool. Throws `model-setting-invalid` when a setting is wrong. */
  verifyProvider(provider: ModelProvider): Promise<void>;
  /** Sends a small request to the org's model, and throws as `generate` does. */
  verifyOrg(org: string, signal: AbortSignal): Promise<void>;
  /** The provider of orgs without their own. */
  readonly defaultProvider: { kind: ProviderKind; model: string } | undefined;
};

export type ToolResult = { call: ToolCall; text: string; isError: boolean };

/** Builds the message with the results of the tool calls of the previous message. */
export function toToolResultsMessage(results: ToolResult[]): Message {
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
