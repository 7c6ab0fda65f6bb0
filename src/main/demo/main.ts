import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { openDemoState } from '../../clients/demo/demo-state.ts';
import { isProductionServing } from '../../clients/demo/is-production-serving.ts';
import { type DemoResult, runDemo } from '../../clients/demo/run-demo.ts';
import { summarizeDemo } from '../../clients/demo/summarize-demo.ts';
import { createTerminal, type Terminal } from '../../clients/demo/terminal.ts';
import { startPlatform } from '../platform/start-platform.ts';
import { parseArguments, UsageError } from '../process/parse-arguments.ts';
import { readEnvironment } from '../process/read-environment.ts';
import { runMain } from '../process/run-main.ts';
import { waitForStopSignal } from '../process/stop-signal.ts';
import { prepareDemoInput, sampleIssue } from './prepare-demo-input.ts';

const flags = {
  yes: { type: 'boolean' },
  exit: { type: 'boolean' },
  json: { type: 'boolean' },
  repo: { type: 'string' },
  issue: { type: 'string' },
} as const;

await runMain(async () => {
  const { port, dataDir, values } = parseArguments(process.argv.slice(2), flags, process.env);
  if (values.repo !== undefined && values.issue === undefined)
    throw new UsageError('--repo requires --issue with the text (or the file) of the issue.');
  const stopSignal = waitForStopSignal();
  const terminal = createTerminal({ yes: values.yes ?? false });
  const platform = await startPlatform({
    port,
    dataDir,
    environment: await readEnvironment(process.env),
    onProgress: (message) => terminal.printLine(message),
  });
  if (platform.usesScriptedModel)
    terminal.printLine(
      'The agents replay a scripted scenario. Set MODEL_BASE_URL, MODEL_NAME and MODEL_API_KEY to use a model.',
    );
  const state = await openDemoState(join(resolve(dataDir), 'demo.json'));
  if (process.env['DEMO_TOKEN']) await state.set('token', process.env['DEMO_TOKEN']);

  const result = await Promise.race([stopSignal.then(() => undefined), drive()]);
  terminal.close();
  if (result && values.json) process.stdout.write(`${JSON.stringify(result.summary)}\n`);
  if (result && !values.exit) {
    terminal.printLine('The platform keeps running. Press Ctrl-C to stop.');
    await stopSignal;
  }
  await platform.stop();
  process.exit(result?.succeeded ? 0 : 1);

  async function drive() {
    const input = await prepareDemoInput(platform, { repo: values.repo, issue: values.issue ?? sampleIssue });
    const { run, release } = await runDemo({
      ...input,
      baseUrl: platform.apiUrl,
      setupToken: async () => (await readFile(platform.setupTokenFile, 'utf8')).trim(),
      codehostToken: platform.codehostToken,
      state,
      terminal,
      pollIntervalMs: 200,
    });
    const succeeded = release?.status.phase === 'Succeeded' && (await isProductionServing(release));
    terminal.close();
    printResult(terminal, { run, release });
    return { succeeded, summary: summarizeDemo(run, release) };
  }
});

function printResult(terminal: Terminal, { run, release }: DemoResult): void {
  const zones = release?.status.zones ?? [];
  const failure = zones.find((zone) => zone.failure)?.failure ?? release?.status.failure ?? run.status.failure;
  if (failure) terminal.printLine(`${failure.message} ${failure.fix}`);
  for (const zone of zones)
    terminal.printLine(`${zone.name.padEnd(16)} ${zone.phase.padEnd(12)} ${zone.address ?? ''}`);
}
