/** Builds the manifest of an org's own app at the code host, with only the permissions that the service uses. */
export function appManifest({ org, publicUrl }: { org: string; publicUrl: string }) {
  return {
    name: `${org}-delivery`,
    url: publicUrl,
    hook_attributes: { url: `${publicUrl}/api/v1/webhooks/codehost`, active: true },
    redirect_url: `${publicUrl}/api/v1/codehost/callback`,
    public: false,
    default_permissions: {
      contents: 'write',
      pull_requests: 'write',
      issues: 'write',
      // Changes may edit the CI files of a repo.
      workflows: 'write',
      // Merges into protected branches wait for the required checks.
      checks: 'read',
      statuses: 'read',
      // Creating the gitops repo and the repos of new Products needs it; no other token of the service carries it.
      administration: 'write',
      metadata: 'read',
    },
    default_events: ['issues', 'pull_request'],
  };
}
