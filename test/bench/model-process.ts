// The model of a bench, in a process of its own: what it takes is nobody's cost. It ends with the process that asks.
import { call, type Example, turn, write } from '../../src/local/model/example.ts';
import { startModel } from '../../src/local/model/start-model.ts';
import { type Conversation, titleOf } from './conversation.ts';

const conversations = JSON.parse(process.argv[2] ?? '[]') as Conversation[];
const { url } = await startModel({ port: 0, examples: conversations.map(exampleOf) });
process.on('disconnect', () => process.exit());
process.send?.(url);

function exampleOf(conversation: Conversation): Example {
  const says = 'x'.repeat(conversation.kilobytes * 1000);
  const turns = Array.from({ length: conversation.turns - 1 }, (_, index) =>
    // A tool that there is not costs neither git nor a sandbox.
    turn(says, conversation.writes ? write('notes.txt', `This is turn ${index + 1}.`) : call('think')),
  );
  const last = turn(says, call('finish', { outcome: 'done', summary: 'x'.repeat(4000) }));
  const name = titleOf(conversation);
  return { name, matches: (text) => text.includes(name), roles: { talker: [...turns, last] } };
}
