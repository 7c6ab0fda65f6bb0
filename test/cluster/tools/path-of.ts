import type { Tool } from '../../../src/main/tools/tool.ts';

/** A cluster without one of its parts is none: there is nothing to skip to. */
export function pathOf(tool: Tool): string {
  if ('missing' in tool) throw new Error(`Tests on a cluster need what cannot be had here: ${tool.missing}.`);
  return tool.path;
}
