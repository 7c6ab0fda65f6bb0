import type { Terminal } from '../../clients/demo/terminal.ts';
import type { Platform } from '../platform/start-platform.ts';

type ReadyCheck = { org: string; buildViolation: string | undefined; terminal: Terminal };

/** Returns a check that throws when agents cannot work, before an issue is opened and money is spent. */
export function createReadyCheck(
  { usesScriptedModel, verifyModel }: Pick<Platform, 'usesScriptedModel' | 'verifyModel'>,
  { org, buildViolation, terminal }: ReadyCheck,
): () => Promise<void> {
  return async () => {
    await confirmBuild();
    if (!usesScriptedModel) {
      terminal.printLine('Checking that the model answers…');
      await verifyModel(org);
    }
  };

  async function confirmBuild(): Promise<void> {
    if (buildViolation === undefined) return;
    const problem = `The repository cannot be released as it is. ${buildViolation}`;
    if (!terminal.canAnswer) throw new Error(`${problem} Then run the demo again.`);
    terminal.printLine(problem);
    const goesOn = await terminal.confirm('Start the Change anyway?', { no: 'ends the demo' });
    if (!goesOn) throw new Error('No Change was started.');
  }
}
