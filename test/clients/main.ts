import { spawnSync } from 'node:child_process';
import { requirements, type Requirement } from './requirements.ts';

/** Runs the scripts of the requirements whose numbers are given, or of all, with every variant instead of a sample. */
function main(numbers: string[]): number {
  const unknown = numbers.find((number) => !requirements.has(Number(number)));
  if (unknown !== undefined) {
    const known = [...requirements].map(([number, { text }]) => `  ${number}  ${text}`);
    process.stderr.write(`There is no requirement "${unknown}". Give one of these numbers:\n${known.join('\n')}\n`);
    return 2;
  }
  const chosen = numbers.length > 0 ? numbers.map(Number) : [...requirements.keys()];
  const failed = chosen.filter((number) => !isShown(number, requirements.get(number)!));
  process.stdout.write(failed.length > 0 ? `\nNot met: ${failed.join(', ')}\n` : `\nMet: ${chosen.join(', ')}\n`);
  return failed.length > 0 ? 1 : 0;
}

function isShown(number: number, { text, script, args }: Requirement): boolean {
  process.stdout.write(`\n${number}. ${text}\n`);
  const env = { ...process.env, TEST_EXHAUSTIVE: 'true' };
  return spawnSync('npm', ['run', script, '--', ...args], { stdio: 'inherit', env }).status === 0;
}

process.exitCode = main(process.argv.slice(2));
