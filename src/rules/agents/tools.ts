import { z } from 'zod';
import { draftCharactersMax } from '../changes/drafts.ts';
import type { AgentStep } from './kinds.ts';

const path = z.string().min(1).max(1000).describe('Path in the checkout, such as src/index.js');
const line = z.int().min(1);

export const listFilesInput = z.object({ path: path.optional().describe('A folder; the whole checkout when absent') });
export const readFileInput = z.object({ path, from: line.optional(), to: line.optional() });
export const searchInput = z.object({
  pattern: z.string().min(1).max(500).describe('A regular expression (POSIX extended)'),
  path: path.optional().describe('Only in this file or folder'),
});
export const editFileInput = z.object({
  path,
  old: z.string().min(1).max(200_000).describe('Text that is in the file exactly once'),
  new: z.string().max(200_000).describe('What stands there instead'),
});
export const writeFileInput = z.object({ path, content: z.string().max(1_000_000) });
export const deleteFileInput = z.object({ path });
export const runCommandInput = z.object({ command: z.string().min(1).max(20_000).describe('A shell command') });

const summary = z
  .string()
  .min(1)
  .max(4000)
  .describe('What was done or found, for the people and agents who come after');
const draft = z
  .string()
  .max(draftCharactersMax)
  .optional()
  .describe('The text to deliver, whole, in Markdown; without it the step cannot end as done');
const endings = {
  change: z.object({ outcome: z.enum(['done', 'needs-guidance']), summary }),
  review: z.object({ outcome: z.enum(['approved', 'changes-requested', 'needs-guidance']), summary }),
};

/** How a step may end: a review judges, any other step does its work. */
function finishInput({ reviews, criteria, deliver }: AgentStep): z.ZodType {
  const plain = reviews === undefined ? endings.change : endings.review;
  const ending = deliver === undefined ? plain : plain.extend({ draft });
  if (!criteria) return ending;
  const judged = z.object({
    criterion: z.enum(criteria).describe('One of the success criteria, word for word'),
    met: z.boolean(),
    note: z.string().max(300).describe('How you know'),
  });
  return ending.safeExtend({ criteria: z.array(judged).max(criteria.length).describe('Each criterion once') });
}

const descriptions = {
  list_files: 'Lists the files of the checkout that are not ignored.',
  read_file: 'Reads a text file, whole or the lines from–to.',
  search: 'Finds lines that match a pattern in the files of the checkout.',
  edit_file: 'Replaces one exact piece of text in a file.',
  write_file: 'Writes a file, making its folders; replaces what it held.',
  delete_file: 'Deletes a file.',
  run_command: 'Runs a shell command in the checkout, in a sandbox, for at most 5 minutes.',
  finish: 'Ends the step with its outcome. Call it once, as the last thing.',
};
export type ToolName = keyof typeof descriptions;
export const toolNames = Object.keys(descriptions) as ToolName[];
export type AgentTool = { name: ToolName; description: string; input: z.ZodType };

/** What an AgentRole allows; without a list, every tool of the step. */
export type Allowance = { tools?: readonly ToolName[] | undefined; network?: boolean | undefined };

/** The tools of a step: only one that changes code has the means to, and no AgentRole has more than its own. */
export function toolsOf(step: AgentStep, { tools, network = false }: Allowance = {}): AgentTool[] {
  const reading = { list_files: listFilesInput, read_file: readFileInput, search: searchInput };
  const writing = { edit_file: editFileInput, write_file: writeFileInput, delete_file: deleteFileInput };
  const inputs: Partial<Record<ToolName, z.ZodType>> = {
    ...reading,
    ...(step.mode === 'change' ? writing : {}),
    run_command: runCommandInput,
    finish: finishInput(step),
  };
  return Object.entries(inputs).flatMap(([name, input]) => {
    const known = name as ToolName;
    if (tools && known !== 'finish' && !tools.includes(known)) return [];
    const reach = known === 'run_command' ? ` It ${network ? 'has' : 'has no'} network.` : '';
    return [{ name: known, description: descriptions[known] + reach, input }];
  });
}
