import { lstat, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { ToolCall, ToolResult } from '../../src/integrations/models/models.ts';
import type { Checkout } from '../../src/integrations/git/checkout.ts';
import type { Sandbox } from '../../src/integrations/sandbox/sandbox.ts';
import { outsideText } from '../../src/rules/agents/outside-text.ts';
import * as tools from '../../src/rules/agents/tools.ts';
import type { Verdict } from '../../src/rules/changes/kinds.ts';
import { deleteCheckoutFile, readCheckoutFile, ToolProblem, writeCheckoutFile } from './checkout-files.ts';

/** A step's end; the draft is what it delivers, and never goes where the verdict goes. */
export type Ending = { verdict: Verdict; draft?: string | undefined };

export type ToolContext = {
  tools: tools.AgentTool[];
  /** Prepared when the first tool needs it. */
  checkout: () => Promise<Checkout>;
  sandbox: Sandbox;
  /** None unless true. */
  network?: boolean;
  /** Why the step cannot end like this yet; undefined when it can. */
  objection: (ending: Ending) => Promise<string | undefined>;
  signal: AbortSignal | undefined;
  /** For all calls of the turn together; absent for the most that a turn has. */
  timeMs?: number;
};

const resultCharactersMax = 30_000;
/** Of all results of a turn together: more would leave a model no room for anything else. */
const turnCharactersMax = 120_000;
const callsMax = 40;
const commandTimeoutMs = 5 * 60_000;
/** Less than Temporal gives a turn, or its tools would run again and again. */
const turnTimeMs = 20 * 60_000;
const listedFilesMax = 2000;

/** Runs a turn's tool calls in order; every call gets a result, and what is wrong with one is its result. */
export async function runTools(
  context: ToolContext,
  calls: ToolCall[],
): Promise<{ results: ToolResult[]; ending?: Ending }> {
  const results: ToolResult[] = [];
  let ending: Ending | undefined;
  const endsAt = performance.now() + (context.timeMs ?? turnTimeMs);
  const charactersMax = Math.min(resultCharactersMax, Math.floor(turnCharactersMax / calls.length));
  for (const [index, call] of calls.entries()) {
    context.signal?.throwIfAborted();
    const leftMs = endsAt - performance.now();
    try {
      if (ending) throw new ToolProblem('Not run: the step was finished before this call.');
      if (index >= callsMax) throw new ToolProblem(`Not run: a turn has at most ${callsMax} calls.`);
      if (leftMs <= 0) throw new ToolProblem('Not run: the calls before it took all the time of this turn.');
      const input = checkedInput(context, call);
      if (call.name === 'finish') ending = await finish(context, input);
      const text = ending ? 'The step is finished.' : await runTool({ ...context, timeMs: leftMs }, call, input);
      results.push({ call, text: bounded(text, charactersMax), isError: false });
    } catch (error) {
      if (!(error instanceof ToolProblem)) throw error;
      results.push({ call, text: bounded(error.message, charactersMax), isError: true });
    }
  }
  return { results, ...(ending && { ending }) };
}

function checkedInput(context: ToolContext, call: ToolCall): unknown {
  const found = context.tools.find(({ name }) => name === call.name);
  if (!found) {
    const names = context.tools.map(({ name }) => name).join(', ');
    throw new ToolProblem(`There is no tool "${call.name}" in this step. Its tools are ${names}.`);
  }
  if (call.problem) throw new ToolProblem(`The call could not be read: ${call.problem}`);
  const parsed = found.input.safeParse(call.input);
  if (!parsed.success) throw new ToolProblem(`The input of ${call.name} is wrong:\n${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

async function finish({ objection }: ToolContext, input: unknown): Promise<Ending> {
  const { draft, ...verdict } = input as Verdict & { draft?: string };
  const ending = { verdict, draft };
  const problem = await objection(ending);
  if (problem) throw new ToolProblem(problem);
  return ending;
}

type Input<Schema extends z.ZodType> = z.infer<Schema>;

/** `input` was checked against the tool's own schema. */
async function runTool(context: ToolContext, call: ToolCall, input: unknown): Promise<string> {
  const checkout = await context.checkout();
  switch (call.name as tools.ToolName) {
    case 'list_files':
      return listed(await checkout.files(relative((input as Input<typeof tools.listFilesInput>).path)));
    case 'read_file':
      return await readFile(checkout, input as Input<typeof tools.readFileInput>);
    case 'search':
      return await search(checkout, input as Input<typeof tools.searchInput>);
    case 'edit_file':
      return await editFile(checkout, input as Input<typeof tools.editFileInput>);
    case 'write_file': {
      const { path, content } = input as Input<typeof tools.writeFileInput>;
      await writeCheckoutFile(checkout.tree, path, content);
      return `Wrote ${path}.`;
    }
    case 'delete_file': {
      const { path } = input as Input<typeof tools.deleteFileInput>;
      await deleteCheckoutFile(checkout.tree, path);
      return `Deleted ${path}.`;
    }
    case 'run_command':
      return await runCommand(context, checkout, input as Input<typeof tools.runCommandInput>);
    case 'finish':
      return '';
  }
}

/** Git takes a path that leads out of the work tree as a fault of ours. */
function relative(path: string | undefined): string | undefined {
  const plain = path?.replace(/^(\.\/)+/, '').replace(/\/$/, '');
  if (!plain || plain === '.') return undefined;
  if (plain.startsWith('/') || plain.split('/').includes('..'))
    throw new ToolProblem(`"${path}" is outside the checkout.`);
  return plain;
}

function listed(files: string[]): string {
  if (files.length === 0) return 'There are no files there.';
  const more = files.length - listedFilesMax;
  return files.slice(0, listedFilesMax).join('\n') + (more > 0 ? `\n[… ${more} more files: list a folder …]` : '');
}

async function readFile(
  checkout: Checkout,
  { path, from = 1, to }: Input<typeof tools.readFileInput>,
): Promise<string> {
  const content = await readCheckoutFile(checkout.tree, path);
  const lines = content.split('\n');
  const shown = lines.slice(from - 1, to).join('\n');
  return outsideText(`${path}, lines ${from}-${Math.min(to ?? lines.length, lines.length)} of ${lines.length}`, shown);
}

async function search(checkout: Checkout, { pattern, path }: Input<typeof tools.searchInput>): Promise<string> {
  const found = await checkout.search(pattern, relative(path)).catch((error: unknown) => {
    throw new ToolProblem(`The search failed: ${error instanceof Error ? error.message : String(error)}`);
  });
  return found ? outsideText('lines found', bounded(found, resultCharactersMax)) : 'Nothing matches.';
}

async function editFile(checkout: Checkout, edit: Input<typeof tools.editFileInput>): Promise<string> {
  const content = await readCheckoutFile(checkout.tree, edit.path);
  const [before, after, ...others] = content.split(edit.old);
  if (after === undefined) throw new ToolProblem(`"old" is not in ${edit.path}: read the file, and copy it exactly.`);
  if (others.length > 0) throw new ToolProblem(`"old" is in ${edit.path} ${others.length + 1} times: make it longer.`);
  await writeCheckoutFile(checkout.tree, edit.path, `${before}${edit.new}${after}`);
  return `Changed ${edit.path}.`;
}

async function runCommand(
  { sandbox, network = false, signal, timeMs = commandTimeoutMs }: ToolContext,
  checkout: Checkout,
  { command }: Input<typeof tools.runCommandInput>,
): Promise<string> {
  await makeMountPoint(join(checkout.tree, '.git'));
  const timeoutMs = Math.ceil(Math.min(commandTimeoutMs, timeMs));
  const result = await sandbox.run(
    {
      argv: ['/bin/sh', '-c', command],
      workspace: { path: checkout.tree, writable: true },
      network,
      // To look at, not to change: what is committed is the service's to say.
      mounts: [{ host: checkout.gitDir, inside: '/workspace/.git', writable: false }],
    },
    { timeoutMs, outputBytesMax: resultCharactersMax, ...(signal && { signal }) },
  );
  const ended = result.timedOut ? `ended after ${Math.ceil(timeoutMs / 1000)} seconds` : `status ${result.exitCode}`;
  return `${ended}\n${outsideText('output', result.output)}`;
}

/** A link in its place would have the sandbox mount over what it leads to. */
async function makeMountPoint(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found && !found.isDirectory()) await rm(path);
  await mkdir(path, { recursive: true });
}

function bounded(text: string, charactersMax: number): string {
  if (text.length <= charactersMax + 500) return text;
  const half = Math.floor(charactersMax / 2);
  const leftOut = text.length - 2 * half;
  return `${text.slice(0, half)}\n[… ${leftOut} characters left out …]\n${text.slice(-half)}`;
}
