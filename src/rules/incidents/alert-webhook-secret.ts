/** The Secret with the token of Alertmanager's calls, in the namespace of the installation and of each org. */
export const alertWebhookSecret = { name: 'service-alert-webhook', key: 'token' } as const;
