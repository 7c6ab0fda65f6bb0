import { globSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

const attacksMin = 120;

/** Prints the number of attacks by area, and fails a complete run that has too few of them or one of them twice. */
export default class CountAttacks implements Reporter {
  onTestRunEnd(all: readonly TestModule[]): void {
    const modules = all.filter(({ moduleId }) => moduleId.includes('/test/red-team/'));
    const suites = modules.flatMap((module) => [...module.children.suites()]);
    const areas = suites.map((suite) => ({
      area: suite.name,
      attacks: listAttacks([...suite.children.allTests()].map(({ name }) => name)),
    }));
    const attacks = areas.flatMap((one) => one.attacks);
    const rows = areas.map(({ area, attacks: own }) => `  ${String(own.length).padStart(3)} ${area}`).toSorted();
    process.stdout.write(`\n${rows.join('\n')}\n  ${String(attacks.length).padStart(3)} attacks\n`);
    const isComplete = modules.length === globSync('test/red-team/*.test.ts').length;
    const repeated = attacks.filter((name, index) => attacks.indexOf(name) !== index);
    if (!isComplete || (attacks.length >= attacksMin && repeated.length === 0)) return;
    process.stdout.write(
      `Expected at least ${attacksMin} different attacks. Repeated: ${repeated.join(', ') || 'none'}\n`,
    );
    process.exitCode = 1;
  }
}

/** Lists the attacks that have both of their tests. */
function listAttacks(tests: string[]): string[] {
  const refused = tests.flatMap((name) => /^is refused: (.+)$/.exec(name)?.[1] ?? []);
  return refused.filter((name) => tests.includes(`succeeds without the defence: ${name}`));
}
