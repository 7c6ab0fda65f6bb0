import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { takeJourney } from '../clients/demo/journey.ts';
import { openMemory } from '../clients/demo/memory.ts';
import { productionAnswers } from '../clients/demo/production-answers.ts';
import { createScreen } from '../clients/demo/screen.ts';
import { summarize } from '../clients/demo/summarize.ts';
import { asProgram, readArguments, UsageError, untilStopped } from './arguments.ts';
import { sampleIssue, subjectOf } from './demo-subject.ts';
import { startPlatform } from './platform.ts';
import { readEnvironment } from './read-environment.ts';

const flags = {
  yes: { type: 'boolean' },
  exit: { type: 'boolean' },
  json: { type: 'boolean' },
  repo: { type: 'string' },
  issue: { type: 'string' },
} as const;

await asProgram(async () => {
  const { port, dataDir, values } = readArguments(process.argv.slice(2), flags, process.env);
  if (values.repo !== undefined && values.issue === undefined)
    throw new UsageError('--repo needs --issue with the text (or file) of what to change.');
  const stopped = untilStopped();
  const screen = createScreen({ yes: values.yes ?? false });
  const platform = await startPlatform({
    port,
    dataDir,
    environment: await readEnvironment(process.env),
    onProgress: (message) => screen.say(message),
  });
  if (platform.rehearsal)
    screen.say(
      'The agents rehearse a worked example: set MODEL_BASE_URL, MODEL_NAME and MODEL_API_KEY for a real model.',
    );
  const memory = await openMemory(join(resolve(dataDir), 'demo.json'));
  if (process.env['DEMO_TOKEN']) await memory.set('token', process.env['DEMO_TOKEN']);

  const ended = await Promise.race([stopped.then(() => undefined), drive()]);
  screen.close();
  if (ended && values.json) process.stdout.write(`${JSON.stringify(ended.summary)}\n`);
  if (ended && !values.exit) {
    screen.say('The platform goes on running; Ctrl-C stops it.');
    await stopped;
  }
  await platform.stop();
  process.exit(ended?.succeeded ? 0 : 1);

  async function drive() {
    const subject = await subjectOf(platform, { repo: values.repo, issue: values.issue ?? sampleIssue });
    const { run, release } = await takeJourney({
      ...subject,
      baseUrl: platform.apiUrl,
      setupToken: async () => (await readFile(platform.setupTokenFile, 'utf8')).trim(),
      memory,
      screen,
      everyMs: 200,
    });
    const succeeded = release?.status.phase === 'Succeeded' && (await productionAnswers(release));
    screen.close();
    const failure =
      release?.status.zones.find((zone) => zone.failure)?.failure ?? release?.status.failure ?? run.status.failure;
    if (failure) screen.say(`${failure.reason} ${failure.fix}`);
    for (const zone of release?.status.zones ?? [])
      screen.say(`${zone.name.padEnd(16)} ${zone.phase.padEnd(12)} ${zone.address ?? ''}`);
    return { succeeded, summary: summarize(run, release) };
  }
});
