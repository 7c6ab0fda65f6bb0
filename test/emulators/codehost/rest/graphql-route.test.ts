import { expect, it } from 'vitest';
import { pushBranch, startShopFixture } from '../codehost-fixture.ts';

type Shop = Awaited<ReturnType<typeof startShopFixture>>;

async function createDraft(shop: Shop): Promise<{ number: number; nodeId: string }> {
  await pushBranch(shop.codehost, { token: shop.token, branch: 'feature', files: { 'new.txt': 'new\n' } });
  const { data } = await shop.octokit.request('POST /repos/{owner}/{repo}/pulls', {
    ...shop.repo,
    title: 'Add it',
    head: 'feature',
    base: 'main',
    draft: true,
  });
  return { number: data.number, nodeId: data.node_id };
}

it('marks a draft as ready for review with GraphQL only', async () => {
  const shop = await startShopFixture();
  const { number, nodeId } = await createDraft(shop);
  const mutation =
    'mutation($id: ID!) { markPullRequestReadyForReview(input: {pullRequestId: $id}) { pullRequest { isDraft } } }';

  expect(await shop.octokit.graphql(mutation, { id: nodeId })).toEqual({
    markPullRequestReadyForReview: { pullRequest: { isDraft: false } },
  });
  expect(
    (await shop.octokit.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', { ...shop.repo, pull_number: number }))
      .data.draft,
  ).toBe(false);
  await shop.receiver.received('pull_request.ready_for_review');
  await expect(shop.octokit.graphql(mutation, { id: 'PR_unknown' })).rejects.toThrow('Could not resolve to a node');
  await expect(shop.octokit.graphql('{ viewer { login } }')).rejects.toThrow('supports only the mutation');
});
