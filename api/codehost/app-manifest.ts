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
      administration: 'write',
      metadata: 'read',
      checks: 'read',
      statuses: 'read',
    },
    default_events: ['issues', 'pull_request'],
  };
}
