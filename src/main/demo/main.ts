import { join, resolve } from 'node:path';
import type { DemoResult } from '../../clients/demo/demo-options.ts';
import { openDemoState } from '../../clients/demo/demo-state.ts';
import { describeResult } from '../../clients/demo/describe-result.ts';
import { isProductionServing } from '../../clients/demo/is-production-serving.ts';
import { runDemo } from '../../clients/demo/run-demo.ts';
import { summarizeDemo } from '../../clients/demo/summarize-demo.ts';
import { createTerminal } from '../../clients/demo/terminal.ts';
import { startPlatform } from '../platform/start-platform.ts';
import { parseArguments, UsageError } from '../process/parse-arguments.ts';
import { readEnvironment } from '../process/read-environment.ts';
import { runMain } from '../process/run-main.ts';
import { stopTimeoutMs, stopWithin, waitForStopSignal } from '../process/stop-signal.ts';
import { createReadyCheck } from './create-ready-check.ts';
import { inspectRepository } from './inspect-repository.ts';
import { parseIssue, prepareDemoInput } from './prepare-demo-input.ts';

const flags = {
  'start-over': { type: 'boolean', help: 'lets the agent of a step that is retried begin again' },
  yes: { type: 'boolean', help: 'approves the merge and the promotion to production' },
  exit: { type: 'boolean', help: 'stops the platform at the end' },
  json: {
    type: 'boolean',
    help: 'prints the result as one line of JSON on standard output, for npm run --silent demo',
  },
  repo: { type: 'string', value: 'path or URL', help: 'your own repository; requires --issue and a model' },
  issue: { type: 'string', value: 'text or file', help: 'what to change; the first line is the title' },
} as const;

await runMain(async () => {
  const { port, dataDir, values, npmHint } = parseArguments(process.argv.slice(2), flags, process.env);
  if (values.repo !== undefined && values.issue === undefined)
    throw new UsageError('--repo requires --issue with the text (or the file) of the issue.');
  if (!values.yes && !process.stdin.isTTY)
    throw new UsageError(
      npmHint ?? 'The demo asks for approvals, and there is no terminal to answer at. Pass --yes to approve all.',
    );
  // npm runs this program in the folder of the project, wherever a person has called it.
  const calledIn = process.env['INIT_CWD'];
  const issue = await parseIssue(values.issue, calledIn);
  const environment = await readEnvironment(process.env);
  if (values.repo !== undefined && !environment['MODEL_BASE_URL'])
    throw new UsageError(
      '--repo requires a model, because the scripted one knows the sample Product only. Set MODEL_BASE_URL, MODEL_NAME and MODEL_API_KEY.',
    );
  const repository = values.repo === undefined ? undefined : await inspectRepository(values.repo, calledIn);
  const stopSignal = waitForStopSignal();
  const terminal = createTerminal({ yes: values.yes ?? false, onInterrupt: () => process.kill(process.pid, 'SIGINT') });
  const { printLine } = terminal;
  if (npmHint !== undefined) printLine(npmHint);
  const options = { port, dataDir, environment, onProgress: printLine, stopSignal };
  const platform = (await startPlatform(options)) ?? process.exit(1);
  if (platform.usesScriptedModel)
    printLine(
      'The agents replay a scripted scenario. Set MODEL_BASE_URL, MODEL_NAME and MODEL_API_KEY to use a model.',
    );
  try {
    const result = await Promise.race([stopSignal.then(() => undefined), drive(), failWhenEnded()]);
    terminal.close();
    if (result && values.json) process.stdout.write(`${JSON.stringify(summarizeDemo(result))}\n`);
    if (result && !values.exit) {
      printLine('The platform keeps running. Press Ctrl-C to stop.');
      await Promise.race([stopSignal, failWhenEnded()]);
    }
    await stopWithin(platform.stop, stopTimeoutMs);
    process.exit(result?.succeeded ? 0 : 1);
  } catch (error) {
    terminal.close();
    await stopWithin(platform.stop, stopTimeoutMs);
    throw error;
  }

  async function failWhenEnded(): Promise<never> {
    throw new Error(`${await platform.ended} State is kept. Run the demo again to resume.`);
  }

  async function drive(): Promise<DemoResult & { succeeded: boolean }> {
    if (platform.sandboxViolation !== undefined)
      throw new Error(`Agents cannot run here: ${platform.sandboxViolation}`);
    const state = await openDemoState(join(resolve(dataDir), 'demo.json'));
    if (process.env['DEMO_TOKEN']) await state.save({ token: process.env['DEMO_TOKEN'] });
    const { buildViolation, ...input } = await prepareDemoInput(platform, {
      repository,
      issue,
      state,
      printLine,
    });
    const result = await runDemo({
      ...input,
      baseUrl: platform.localApiUrl,
      setupToken: platform.setupToken,
      codehostToken: platform.codehostToken,
      state,
      terminal,
      pollIntervalMs: 200,
      startOver: values['start-over'] ?? false,
      assertReady: createReadyCheck(platform, { org: input.org, buildViolation, terminal }),
    });
    const isReleased = result.release?.status.phase === 'Succeeded';
    const isServing = isReleased && result.release !== undefined && (await isProductionServing(result.release));
    terminal.close();
    for (const line of describeResult(result, { isServing })) printLine(line);
    return { ...result, succeeded: isServing };
  }
});
