import type { Tool } from '../../../src/main/tools/tool.ts';

/** Throws when the tool is missing, because no test can run on an incomplete cluster. */
export function getToolPath(tool: Tool): string {
  if ('missing' in tool) throw new Error(`Tests on a cluster need a tool that is missing: ${tool.missing}.`);
  return tool.path;
}
