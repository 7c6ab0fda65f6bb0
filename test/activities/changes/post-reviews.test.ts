import { expect, it } from 'vitest';
import { saveTurnPart } from '../../../activities/agents/transcript.ts';
import { postReviews } from '../../../activities/changes/post-reviews.ts';
import { ServiceError } from '../../../src/errors.ts';
import { directoryBlobs } from '../../../src/integrations/blobs/directory.ts';
import { changeAgentWorkflow } from '../../../src/rules/agents/default-workflows.ts';
import { type AgentWorkflowRun, AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { openMemoryStore } from '../../support/open-test-store.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

async function createReviewedRun() {
  const blobs = directoryBlobs(await createScratchFolder());
  const run: AgentWorkflowRun = await openMemoryStore().create(AgentWorkflowRunKind, {
    metadata: { namespace: 'org-acme', name: 'change-1' },
    spec: { agentWorkflow: 'change', product: 'shop', startedBy: 'ada', steps: changeAgentWorkflow.steps, roles: {} },
  });
  const verdict = { outcome: 'approved' as const, summary: 'It greets @ada. Closes #7' };
  const ref = { uid: run.metadata.uid, step: 'review-code', turn: 1 };
  await saveTurnPart(blobs, ref, { results: { messages: [], verdict, changed: false, at: '' } });
  return { blobs, run };
}

const pull = { number: 8, headSha: 'c0ffee' };

it('posts the verdicts of the reviewers in one comment that mentions no person and closes no issue', async () => {
  const { blobs, run } = await createReviewedRun();
  const comments: { number: number; marker: string; body: string }[] = [];
  const upsertComment = async (_repo: string, comment: (typeof comments)[number]) => {
    comments.push(comment);
    return { url: 'http://host/comment' };
  };
  await postReviews(blobs, { run, repo: 'acme/shop', host: { upsertComment } }, pull);
  expect(comments).toEqual([expect.objectContaining({ number: 8, marker: expect.stringContaining('step=reviews') })]);
  expect(comments[0]?.body).toContain('Reviews of c0ffee\n\n**review-code**: approved\n\nIt greets');
  expect(comments[0]?.body).not.toMatch(/@ada|Closes #7/);
});

it('names the commit that was reviewed, and not one that was added since', async () => {
  const { blobs, run } = await createReviewedRun();
  const startedAt = '2026-01-01T00:00:00Z';
  const rounds = [
    { number: 1, startedAt, outcome: 'approved' as const, headSha: 'reviewed' },
    { number: 2, startedAt },
  ];
  const status: AgentWorkflowRun['status'] = {
    phase: 'Running',
    steps: [{ name: 'review-code', phase: 'Succeeded', rounds }],
  };
  let text = '';
  const upsertComment = async (_repo: string, { body }: { body: string }) => {
    text = body;
    return { url: 'http://host/comment' };
  };
  await postReviews(blobs, { run: { ...run, status }, repo: 'acme/shop', host: { upsertComment } }, pull);
  expect(text).toContain('Reviews of reviewed\n');
  expect(text).not.toContain('c0ffee');
});

it('does not block the approval when the application may not comment', async () => {
  const { blobs, run } = await createReviewedRun();
  const refuse = (reason: 'codehost-access-denied' | 'codehost-unreachable') => async () => {
    throw new ServiceError(reason, 'No.');
  };
  const post = async (upsertComment: () => Promise<never>) =>
    await postReviews(blobs, { run, repo: 'acme/shop', host: { upsertComment } }, pull);
  await post(refuse('codehost-access-denied'));
  await expect(post(refuse('codehost-unreachable'))).rejects.toThrow('No.');
});
