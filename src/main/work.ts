import { join } from 'node:path';
import { pino } from 'pino';
import { loadConfig } from '../config.ts';
import { missingBrowser } from '../integrations/browser/missing.ts';
import { refusingSandbox } from '../integrations/sandbox/refusing.ts';
import { asProgram, untilStopped } from './arguments.ts';
import { connect, openStore } from './connect.ts';
import { localBrowser } from './local-browser.ts';
import { localSandbox } from './local-sandbox.ts';
import { takeOwnFolder } from './own-folder.ts';
import { queuesOf } from './queues-of.ts';
import { readEnvironment } from './read-environment.ts';
import { startWorker } from './run-worker.ts';
import { observeRuntime } from './runtime.ts';
import { serviceMetrics } from './service-metrics.ts';
import { startSide } from './side.ts';
import { workflowBundle } from './workflow-bundle.ts';

await asProgram(async () => {
  const queues = queuesOf(process.argv.slice(2));
  const environment = await readEnvironment(process.env);
  const config = loadConfig(environment);
  const stopped = untilStopped();
  const log = pino({ level: config.logLevel });
  const onProgress = (message: string): void => log.info(message);
  const registry = serviceMetrics(await observeRuntime(log));
  const own = await takeOwnFolder(join(config.dataDir, 'worker'));
  const connections = await connect(config, await openStore(config));
  const browser = queues.includes('browser')
    ? await localBrowser(environment, { folder: join(own.path, 'browser'), onProgress })
    : missingBrowser('This worker does not serve the queue of browsers.');
  const worker = await startWorker(config, connections, {
    queues,
    sandbox: queues.includes('agents')
      ? await localSandbox(environment, onProgress)
      : refusingSandbox('This worker does not serve the queue of agents.'),
    browser,
    workflowBundle: await workflowBundle(onProgress, { sealed: config.temporal.encryptionKeys.length > 0 }),
    checkouts: { path: join(own.path, 'checkouts'), name: own.name },
  });
  const closing = new AbortController();
  const side = await startSide({ ...connections, registry, closing: closing.signal }, config);
  log.info({ queues, port: config.port, host: own.name }, 'ready');
  await Promise.race([stopped, worker.ended]);
  log.info('stopping');
  closing.abort();
  await worker.stop();
  await browser.close();
  await side.stop();
  await connections.close();
  own.release();
  process.exit(0);
});
