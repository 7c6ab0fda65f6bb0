import { asProgram, readArguments, untilStopped } from './arguments.ts';
import { readEnvironment } from './read-environment.ts';
import { startPlatform } from './platform.ts';
import { welcome } from './welcome.ts';

await asProgram(async () => {
  const startedAt = performance.now();
  const { port, dataDir } = readArguments(process.argv.slice(2), {}, process.env);
  const stopped = untilStopped();
  const platform = await startPlatform({
    port,
    dataDir,
    environment: await readEnvironment(process.env),
    onProgress: (message) => process.stderr.write(`${message}\n`),
  });
  process.stdout.write(welcome(platform, performance.now() - startedAt));
  await stopped;
  process.stderr.write('Stopping…\n');
  await platform.stop();
  process.exit(0);
});
