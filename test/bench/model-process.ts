// Runs the scripted model in a separate process, so that its CPU is not measured. It exits with its parent process.
import { call, type Scenario, turn, write } from '../../src/emulators/model/scenario.ts';
import { startModel } from '../../src/emulators/model/start-model.ts';
import { type Conversation, toIssueTitle } from './conversation.ts';

const conversations = JSON.parse(process.argv[2] ?? '[]') as Conversation[];
const { url } = await startModel({ port: 0, scenarios: conversations.map(toScenario) });
process.on('disconnect', () => process.exit());
process.send?.(url);

function toScenario(conversation: Conversation): Scenario {
  const text = 'x'.repeat(conversation.kilobytesPerTurn * 1000);
  const turns = Array.from({ length: conversation.turns - 1 }, (_, index) =>
    // An unknown tool needs neither git nor a sandbox.
    turn(text, conversation.commits ? write('notes.txt', `This is turn ${index + 1}.`) : call('think')),
  );
  const last = turn(text, call('finish', { outcome: 'done', summary: 'x'.repeat(4000) }));
  const name = toIssueTitle(conversation);
  return { name, matches: (issue) => issue.includes(name), roles: { talker: [...turns, last] } };
}
