import { resolve } from 'node:path';
import { parseArguments } from '../process/parse-arguments.ts';
import { readEnvironment } from '../process/read-environment.ts';
import { runMain } from '../process/run-main.ts';
import { stopTimeoutMs, stopWithin, waitForStopSignal } from '../process/stop-signal.ts';
import { startUiDevServer } from '../ui/start-dev-server.ts';
import { startPlatform } from './start-platform.ts';
import { formatStartupBanner } from './startup-banner.ts';

/** A platform that ends sooner than this may fail for a reason that a restart does not fix. */
const lifetimeMsMin = 60_000;
const shortLivesMax = 3;
const flags = {
  dev: { type: 'boolean', help: 'also serves the web UI from its sources, with hot reloading' },
} as const;

await runMain(async () => {
  const { port, dataDir, values } = parseArguments(process.argv.slice(2), flags, process.env);
  const environment = await readEnvironment(process.env);
  const onProgress = (message: string): boolean => process.stderr.write(`${message}\n`);
  const stopSignal = waitForStopSignal();
  for (let shortLives = 0; ;) {
    const startedAt = performance.now();
    const platform = (await startPlatform({ port, dataDir, environment, onProgress, stopSignal })) ?? process.exit(0);
    process.stdout.write(formatStartupBanner(platform, performance.now() - startedAt, process.stdout.isTTY));
    const devServer = values.dev === true ? await startUiDevServer(platform.localApiUrl, onProgress) : undefined;
    const cause = await Promise.race([stopSignal, platform.ended]);
    onProgress(cause === undefined ? 'Stopping…' : `${cause} The platform starts again; its state is kept.`);
    await devServer?.stop();
    await stopWithin(platform.stop, stopTimeoutMs);
    if (cause === undefined) process.exit(0);
    shortLives = performance.now() - startedAt < lifetimeMsMin ? shortLives + 1 : 0;
    if (shortLives > shortLivesMax)
      throw new Error(
        `${cause} It ended ${shortLives} times soon after its start. See ${resolve(dataDir, 'logs/temporal.log')}.`,
      );
  }
});
