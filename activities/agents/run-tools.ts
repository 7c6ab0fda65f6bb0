import { lstat, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { ToolCall, ToolResult } from '../../src/integrations/models/models.ts';
import type { Checkout } from '../../src/integrations/git/checkout.ts';
import type { EgressProxy } from '../../src/integrations/network/egress-proxy.ts';
import type { Sandbox } from '../../src/integrations/sandbox/sandbox.ts';
import { wrapUntrusted } from '../../src/rules/agents/untrusted-content.ts';
import type { ToolName } from '../../src/rules/agents/tool-names.ts';
import * as tools from '../../src/rules/agents/tools.ts';
import type { Verdict } from '../../src/rules/changes/kinds.ts';
import { deleteCheckoutFile, readCheckoutFile, ToolError, writeCheckoutFile } from './checkout-files.ts';

/** The arguments of the `finish` tool; the draft is the step's text and is not part of the verdict. */
export type FinishResult = { verdict: Verdict; draft?: string | undefined };

export type ToolContext = {
  tools: tools.AgentTool[];
  /** Prepares the checkout when the first tool needs it. */
  checkout: () => Promise<Checkout>;
  sandbox: Sandbox;
  /** Opens the network of one command. Without it, commands have no network. */
  openNetwork?: () => Promise<EgressProxy>;
  /** Returns why the step cannot finish with this result yet. */
  finishViolation: (ending: FinishResult) => Promise<string | undefined>;
  signal: AbortSignal | undefined;
  /** The time limit for all calls of the turn together. */
  timeoutMs?: number;
};

const resultCharactersMax = 30_000;
/** Limits all results of a turn together: more would fill the model's context window. */
const turnCharactersMax = 120_000;
const callsMax = 40;
const commandTimeoutMs = 5 * 60_000;
/** Must be less than the timeout of the activity, or the tools would run again on every retry. */
const turnTimeoutMs = 20 * 60_000;
const listedFilesMax = 2000;

/** Runs a turn's tool calls in order; every call gets a result, and the result of a wrong call is its error. */
export async function runTools(
  context: ToolContext,
  calls: ToolCall[],
): Promise<{ results: ToolResult[]; ending?: FinishResult }> {
  const results: ToolResult[] = [];
  let ending: FinishResult | undefined;
  const deadline = performance.now() + (context.timeoutMs ?? turnTimeoutMs);
  const charactersMax = Math.min(resultCharactersMax, Math.floor(turnCharactersMax / calls.length));
  for (const [index, call] of calls.entries()) {
    context.signal?.throwIfAborted();
    const remainingMs = deadline - performance.now();
    try {
      if (ending) throw new ToolError('Not run: an earlier call finished the step.');
      if (index >= callsMax) throw new ToolError(`Not run: a turn has at most ${callsMax} calls.`);
      if (remainingMs <= 0) throw new ToolError('Not run: earlier calls used up the time limit of the turn.');
      const input = parseToolInput(context, call);
      if (call.name === 'finish') ending = await finishStep(context, input);
      const text = ending
        ? 'The step is finished.'
        : await runTool({ ...context, timeoutMs: remainingMs }, call, input);
      results.push({ call, text: truncateMiddle(text, charactersMax), isError: false });
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      results.push({ call, text: truncateMiddle(error.message, charactersMax), isError: true });
    }
  }
  return { results, ...(ending && { ending }) };
}

function parseToolInput(context: ToolContext, call: ToolCall): unknown {
  const tool = context.tools.find(({ name }) => name === call.name);
  if (!tool) {
    const names = context.tools.map(({ name }) => name).join(', ');
    throw new ToolError(`This step has no tool "${call.name}". Its tools are ${names}.`);
  }
  if (call.error) throw new ToolError(`The call could not be parsed: ${call.error}`);
  const parsed = tool.inputSchema.safeParse(call.input);
  if (!parsed.success) throw new ToolError(`The input of ${call.name} is invalid:\n${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

async function finishStep({ finishViolation }: ToolContext, input: unknown): Promise<FinishResult> {
  const { draft, ...verdict } = input as Verdict & { draft?: string };
  const ending = { verdict, draft };
  const violation = await finishViolation(ending);
  if (violation) throw new ToolError(violation);
  return ending;
}

type Input<Schema extends z.ZodType> = z.infer<Schema>;

/** Expects an input that the tool's schema has validated. */
async function runTool(context: ToolContext, call: ToolCall, input: unknown): Promise<string> {
  const checkout = await context.checkout();
  switch (call.name as ToolName) {
    case 'list_files':
      return await listFiles(checkout, input as Input<typeof tools.listFilesInput>).catch(
        throwGitError(context, 'The listing'),
      );
    case 'read_file':
      return await readFile(checkout, input as Input<typeof tools.readFileInput>);
    case 'search':
      return await search(checkout, input as Input<typeof tools.searchInput>).catch(
        throwGitError(context, 'The search'),
      );
    case 'edit_file':
      return await editFile(checkout, input as Input<typeof tools.editFileInput>);
    case 'write_file': {
      const { path, content } = input as Input<typeof tools.writeFileInput>;
      await writeCheckoutFile(checkout.workingTree, path, content);
      return `Wrote ${path}.`;
    }
    case 'delete_file': {
      const { path } = input as Input<typeof tools.deleteFileInput>;
      await deleteCheckoutFile(checkout.workingTree, path);
      return `Deleted ${path}.`;
    }
    case 'run_command':
      return await runCommand(context, checkout, input as Input<typeof tools.runCommandInput>);
    case 'finish':
      return '';
  }
}

/** Git fails on a path outside the working tree, which would count as a fault of the service. */
function toRelativePath(path: string | undefined): string | undefined {
  const plain = path?.replace(/^(\.\/)+/, '').replace(/\/$/, '');
  if (!plain || plain === '.') return undefined;
  if (plain.startsWith('/') || plain.split('/').includes('..'))
    throw new ToolError(`"${path}" is outside the checkout.`);
  return plain;
}

async function listFiles(checkout: Checkout, { path }: Input<typeof tools.listFilesInput>): Promise<string> {
  const files = await checkout.listFiles(toRelativePath(path));
  if (files.length === 0) return 'No files found.';
  const more = files.length - listedFilesMax;
  return files.slice(0, listedFilesMax).join('\n') + (more > 0 ? `\n[… ${more} more files; list a folder …]` : '');
}

async function readFile(
  checkout: Checkout,
  { path, from = 1, to }: Input<typeof tools.readFileInput>,
): Promise<string> {
  const content = await readCheckoutFile(checkout.workingTree, path);
  const lines = content.split('\n');
  const shown = lines.slice(from - 1, to).join('\n');
  return wrapUntrusted(
    `${path}, lines ${from}-${Math.min(to ?? lines.length, lines.length)} of ${lines.length}`,
    shown,
  );
}

async function search(checkout: Checkout, { pattern, path }: Input<typeof tools.searchInput>): Promise<string> {
  const found = await checkout.searchFiles(pattern, toRelativePath(path));
  return found ? wrapUntrusted('lines found', truncateMiddle(found, resultCharactersMax)) : 'Nothing matches.';
}

/** The files of the checkout can make git fail, and a retry would fail in the same way, so the agent gets the error. */
const throwGitError =
  ({ signal }: ToolContext, work: string) =>
  (error: unknown): never => {
    signal?.throwIfAborted();
    if (error instanceof ToolError) throw error;
    throw new ToolError(`${work} failed: ${error instanceof Error ? error.message : String(error)}`);
  };

async function editFile(checkout: Checkout, edit: Input<typeof tools.editFileInput>): Promise<string> {
  const content = await readCheckoutFile(checkout.workingTree, edit.path);
  const [before, after, ...others] = content.split(edit.old);
  if (after === undefined) throw new ToolError(`"old" is not in ${edit.path}: read the file, and copy it exactly.`);
  if (others.length > 0) throw new ToolError(`"old" is in ${edit.path} ${others.length + 1} times: make it longer.`);
  await writeCheckoutFile(checkout.workingTree, edit.path, `${before}${edit.new}${after}`);
  return `Changed ${edit.path}.`;
}

async function runCommand(
  { sandbox, openNetwork, signal, timeoutMs: remainingMs = commandTimeoutMs }: ToolContext,
  checkout: Checkout,
  { command }: Input<typeof tools.runCommandInput>,
): Promise<string> {
  await createMountPoint(join(checkout.workingTree, '.git'));
  const timeoutMs = Math.ceil(Math.min(commandTimeoutMs, remainingMs));
  const network = await openNetwork?.();
  try {
    const result = await sandbox.run(
      {
        argv: ['/bin/sh', '-c', command],
        workspace: { path: checkout.workingTree, writable: true },
        ...(network && { network: { proxySocket: network.socketPath } }),
        // Only the service makes commits, so commands can read the repository but not write to it.
        mounts: [{ host: checkout.gitDir, inside: '/workspace/.git', writable: false }],
      },
      { timeoutMs, outputBytesMax: resultCharactersMax, ...(signal && { signal }) },
    );
    const ending = result.timedOut ? `ended after ${Math.ceil(timeoutMs / 1000)} seconds` : `status ${result.exitCode}`;
    return `${ending}\n${wrapUntrusted('output', result.output)}`;
  } finally {
    await network?.close();
  }
}

/** Through a symbolic link, the sandbox would mount over the target of the link. */
async function createMountPoint(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found && !found.isDirectory()) await rm(path);
  await mkdir(path, { recursive: true });
}

function truncateMiddle(text: string, charactersMax: number): string {
  if (text.length <= charactersMax + 500) return text;
  const half = Math.floor(charactersMax / 2);
  const omitted = text.length - 2 * half;
  return `${text.slice(0, half)}\n[… ${omitted} characters omitted …]\n${text.slice(-half)}`;
}
