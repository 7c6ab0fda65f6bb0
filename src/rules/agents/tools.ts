import { z } from 'zod';
import { draftCharactersMax } from '../changes/drafts.ts';
import type { AgentStep } from './kinds.ts';
import { type ToolName, toolDescriptions } from './tool-names.ts';

/** A text that becomes an argument of a program or part of a commit message, which cannot contain NUL. */
const textWithoutNul = z.string().refine((text) => !text.includes('\0'), 'must not contain the character NUL');

const path = textWithoutNul.min(1).max(1000).describe('Path in the checkout, such as src/index.js');
const line = z.int().min(1);

export const listFilesInput = z.object({ path: path.optional().describe('A folder; the whole checkout when absent') });
export const readFileInput = z.object({ path, from: line.optional(), to: line.optional() });
export const searchInput = z.object({
  pattern: textWithoutNul.min(1).max(500).describe('A regular expression (POSIX extended)'),
  path: path.optional().describe('Only in this file or folder'),
});
export const editFileInput = z.object({
  path,
  old: z.string().min(1).max(200_000).describe('Text that is in the file exactly once'),
  new: z.string().max(200_000).describe('The text that replaces it'),
});
export const writeFileInput = z.object({ path, content: z.string().max(1_000_000) });
export const deleteFileInput = z.object({ path });
export const runCommandInput = z.object({ command: textWithoutNul.min(1).max(20_000).describe('A shell command') });

const summary = textWithoutNul
  .min(1)
  .max(4000)
  .describe('What you did or found, for the people and agents of later steps');
const draft = textWithoutNul
  .max(draftCharactersMax)
  .optional()
  .describe('The whole text to deliver, in Markdown; required for the outcome "done"');
const finishInputs = {
  change: z.object({ outcome: z.enum(['done', 'needs-guidance']), summary }),
  review: z.object({ outcome: z.enum(['approved', 'changes-requested', 'needs-guidance']), summary }),
};

/** Returns the input of `finish`: a review step approves or requests changes, and any other step is done. */
function finishInput({ reviews, criteria, deliver }: AgentStep): z.ZodType {
  const plain = reviews === undefined ? finishInputs.change : finishInputs.review;
  const input = deliver === undefined ? plain : plain.extend({ draft });
  if (!criteria) return input;
  const judged = z.object({
    criterion: z.enum(criteria).describe('A success criterion, word for word'),
    met: z.boolean(),
    note: textWithoutNul.max(300).describe('Your evidence'),
  });
  return input.safeExtend({ criteria: z.array(judged).max(criteria.length).describe('Each criterion once') });
}

export type AgentTool = { name: ToolName; description: string; inputSchema: z.ZodType };

/** The permissions of an AgentRole; without a list of tools, it allows every tool of the step. */
export type ToolPermissions = { tools?: readonly ToolName[] | undefined; network?: boolean | undefined };

/** Lists the tools of a step. Only a step that changes code gets tools that write, and only those that its AgentRole allows. */
export function listStepTools(step: AgentStep, { tools, network = false }: ToolPermissions = {}): AgentTool[] {
  const reading = { list_files: listFilesInput, read_file: readFileInput, search: searchInput };
  const writing = { edit_file: editFileInput, write_file: writeFileInput, delete_file: deleteFileInput };
  const inputs: Partial<Record<ToolName, z.ZodType>> = {
    ...reading,
    ...(step.mode === 'change' ? writing : {}),
    run_command: runCommandInput,
    finish: finishInput(step),
  };
  return Object.entries(inputs).flatMap(([name, inputSchema]) => {
    const known = name as ToolName;
    if (tools && known !== 'finish' && !tools.includes(known)) return [];
    const networkNote = known === 'run_command' ? ` It ${network ? 'has' : 'has no'} network access.` : '';
    return [{ name: known, description: toolDescriptions[known] + networkNote, inputSchema }];
  });
}
