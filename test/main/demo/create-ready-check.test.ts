import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { createTerminal } from '../../../src/clients/demo/terminal.ts';
import { createReadyCheck } from '../../../src/main/demo/create-ready-check.ts';

function createCheck({ answer, buildViolation }: { answer?: string; buildViolation?: string }) {
  const input = new PassThrough();
  const asked: string[] = [];
  const terminal = createTerminal({ yes: answer === undefined, input, output: new PassThrough() });
  const verifyModel = async (org: string): Promise<void> => void asked.push(org);
  const check = createReadyCheck({ usesScriptedModel: false, verifyModel }, { org: 'acme', buildViolation, terminal });
  if (answer !== undefined) input.write(`${answer}\n`);
  return { check, asked };
}

it('asks the model before work starts', async () => {
  const { check, asked } = createCheck({});
  await check();
  expect(asked).toEqual(['acme']);
});

it('starts nothing for a repository that cannot be released, unless a person confirms it', async () => {
  const buildViolation = 'No start command found: add a Procfile.';
  const unattended = createCheck({ buildViolation });
  await expect(unattended.check()).rejects.toThrow(/cannot be released as it is\. No start command found/);
  expect(unattended.asked).toEqual([]);
  await expect(createCheck({ buildViolation, answer: 'n' }).check()).rejects.toThrow('No Change was started.');
  await createCheck({ buildViolation, answer: 'y' }).check();
});
