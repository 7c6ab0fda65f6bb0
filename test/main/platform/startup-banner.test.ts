import { describe, expect, it } from 'vitest';
import { formatStartupBanner } from '../../../src/main/platform/startup-banner.ts';
import type { Platform } from '../../../src/main/platform/start-platform.ts';

const platform: Platform = {
  apiUrl: 'http://localhost:8080/api',
  localApiUrl: 'http://127.0.0.1:8080/api',
  temporalUiUrl: 'http://127.0.0.1:8083/?secret=s',
  codehostUrl: 'http://localhost:8082',
  codehostToken: 'code-host-token',
  codehostTokenFile: '/data/codehost/token',
  setupTokenFile: '/data/setup-token',
  setupToken: 'setup-secret',
  usesScriptedModel: true,
  sandboxViolation: undefined,
  ended: Promise.resolve(''),
  verifyModel: async () => {},
  stop: async () => {},
};

describe('formatStartupBanner', () => {
  it('leads a person at the terminal to the setup with its token in the fragment', () => {
    const banner = formatStartupBanner(platform, 1_000, true);
    expect(banner).toContain('http://localhost:8080/setup#setup-secret\n');
    expect(banner).toContain('user "owner" with the password in /data/codehost/token');
    expect(banner).not.toContain('code-host-token');
  });

  it('shows the Prometheus of the platform, if it has one', () => {
    expect(formatStartupBanner(platform, 1_000, true)).not.toContain('Prometheus');
    const prometheus = { url: 'http://127.0.0.1:8088', passwordFile: '/data/metrics/password' };
    expect(formatStartupBanner({ ...platform, prometheus }, 1_000, true)).toContain(
      'http://127.0.0.1:8088/api/v1, user "owner" with the password in /data/metrics/password\n',
    );
  });

  it('names the file of the setup token where its output may be a log', () => {
    const banner = formatStartupBanner(platform, 1_000, false);
    expect(banner).toContain('/data/setup-token');
    expect(banner).not.toContain('setup-secret');
  });

  it('asks to sign in once the root user exists', () => {
    expect(formatStartupBanner({ ...platform, setupToken: undefined }, 1_000, true)).not.toContain('setup');
  });
});
