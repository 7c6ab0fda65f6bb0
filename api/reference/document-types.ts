import type { Schema } from './schema-text.ts';

/** The parts of an OpenAPI document that the reference reads and completes. */
export type Media = { schema?: Schema; example?: unknown };
export type Header = { $ref: string } | { description: string; required?: boolean; schema: Schema; example?: unknown };
export type Parameter = {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
};
export type DocumentedResponse = {
  description: string;
  headers?: Record<string, Header>;
  content?: Record<string, Media>;
  'x-event-stream'?: EventStream;
};
/** The server-sent events that a response consists of when the caller accepts `text/event-stream`. */
export type EventStream = { description: string; events: Record<string, { description: string; data: Schema }> };
export type Operation = {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  deprecated?: boolean;
  'x-role'?: string;
  'x-credential'?: string;
  security?: Record<string, string[]>[];
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses: Record<string, DocumentedResponse>;
};
export type Schemas = Record<string, Schema>;
export type OpenApiDocument = {
  openapi: string;
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Schemas; parameters: Record<string, Parameter>; headers: Record<string, Header> };
};
export type Entry = { method: string; path: string; operation: Operation };

export const listOperations = ({ paths }: Pick<OpenApiDocument, 'paths'>): Entry[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
