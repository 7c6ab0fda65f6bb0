import type { Schemas } from '../../../api/generated/openapi.ts';

export type AgentRole = Schemas['AgentRole'];
export type RoleSpec = AgentRole['spec'];
export type Tool = NonNullable<RoleSpec['tools']>[number];

/** The tools that a role may be limited to; `finish` is always there. */
export const tools: [name: Tool, does: string][] = [
  ['list_files', 'List the files of the checkout'],
  ['read_file', 'Read files'],
  ['search', 'Search in files'],
  ['edit_file', 'Replace a text in a file'],
  ['write_file', 'Write whole files'],
  ['delete_file', 'Delete files'],
  ['run_command', 'Run commands in a sandbox'],
];

/** Returns true if a document has the list that the form shows; the API checks everything else. */
export function isRoleSpec(value: unknown): value is RoleSpec {
  const { responsibilities, tools: allowed = [] } = (value ?? {}) as Record<string, unknown>;
  return [responsibilities, allowed].every(
    (list) => Array.isArray(list) && list.every((one) => typeof one === 'string'),
  );
}
