import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { readTemplate } from '../../../src/integrations/templates/read-template.ts';
import { findBuildLanguages } from '../../../src/main/platform/find-build-languages.ts';
import { templateNames, templateViolation } from '../../../src/rules/products/templates.ts';
import { isExhaustive } from '../../support/sample.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';
import { createTestSandbox } from '../../support/test-sandbox.ts';
import { DeployedZone, startClusterFixture } from './cluster-fixture.ts';

const sandbox = createTestSandbox();
/** Go compiles its standard library first, which takes a minute on a busy machine. */
const sampled = templateNames.filter((name) => isExhaustive || name !== 'go-service');

it.each(sampled)('%s passes its own tests as an agent runs them, and keeps their report', async (template) => {
  const folder = await createScratchFolder();
  for (const { path, content, executable } of await readTemplate(template, 'shop')) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
    if (executable) await chmod(join(folder, path), 0o755);
  }
  const request = { argv: ['./test.sh'], workspace: { path: folder, writable: true } };
  const result = await sandbox.run(request, { timeoutMs: 200_000, outputBytesMax: 8_000 });
  expect(result).toMatchObject({ exitCode: 0, output: expect.stringMatching(/pass|ok/i) });
  expect(await readFile(join(folder, '.service/artifacts/test-report.txt'), 'utf8')).toContain(result.output.trim());
});

it('fails test.sh when a test fails', async () => {
  const folder = await createScratchFolder();
  await mkdir(join(folder, 'test'), { recursive: true });
  for (const { path, content } of await readTemplate('static-site', 'shop')) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), path === 'public/index.html' ? '<a href="/gone.html">' : content);
  }
  const request = { argv: ['sh', 'test.sh'], workspace: { path: folder, writable: true } };
  const { exitCode, output } = await sandbox.run(request, { timeoutMs: 60_000, outputBytesMax: 8_000 });
  expect(exitCode).toBe(1);
  expect(output).toContain('/gone.html');
});

it.each(sampled)('%s is built and served under the name of the Product', async (template) => {
  const { goRoot, missing } = await findBuildLanguages(process.env, sandbox);
  expect(templateViolation(template, missing)).toBeUndefined();
  const fixture = await startClusterFixture({ goRoot });
  const files = await readTemplate(template, 'shop');
  const name = await fixture.createBuildRun(
    await fixture.createRepo(Object.fromEntries(files.map(({ path, content }) => [path, content.toString()]))),
  );
  const readBuild = async () => await fixture.getBuildRunStatus(name);
  await expect.poll(async () => (await readBuild()).completionTime, { timeout: 200_000, interval: 100 }).toBeDefined();
  const { output, failureDetails } = await readBuild();
  expect(failureDetails).toBeUndefined();
  const zone = new DeployedZone(fixture);
  await zone.deploy(output?.digest ?? '');
  const page = await zone.request();
  expect(page).toMatchObject({ status: 200, body: expect.stringContaining('<h1>shop</h1>') });
  expect(page.body).not.toContain(template);
  const health = await zone.request({ path: template === 'static-site' ? '/healthz.txt' : '/healthz' });
  expect(health).toMatchObject({ status: 200, body: expect.stringMatching(/^ok\s*$/) });
});

it('says which language a build lacks', async () => {
  const fixture = await startClusterFixture();
  const source = await fixture.createRepo({ 'go.mod': 'module shop\n', 'main.go': 'package main\nfunc main() {}\n' });
  const { failureDetails } = await fixture.waitForBuild(await fixture.createBuildRun(source));
  expect(failureDetails?.message).toMatch(/^The app needs Go, which is not installed: install Go/);
});
