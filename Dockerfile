# syntax=docker/dockerfile:1
# The images of the service are the targets api, worker, agents, browser and gate. They run as an unprivileged user with a
# read-only root file system and write only to /data and /tmp.

FROM node:24.21.0-bookworm-slim AS packages
WORKDIR /app
COPY .npmrc package.json package-lock.json ./
# The packages contain a Node for developers' machines; the image has its own.
RUN npm ci --omit=dev --no-audit --no-fund && rm -rf node_modules/node node_modules/node-bin-* node_modules/.bin/node

# The packages of the web UI are needed only to build it.
FROM node:24.21.0-bookworm-slim AS ui
WORKDIR /app
COPY .npmrc package.json package-lock.json tsconfig.json ./
RUN npm ci --no-audit --no-fund --ignore-scripts
COPY src src
COPY api api
RUN node src/main/ui/bundle-ui.ts

FROM packages AS program
COPY src src
COPY api api
COPY activities activities
COPY workflows workflows
COPY deploy/zone-chart deploy/zone-chart
# Workers load this bundle and cannot write one themselves.
RUN node src/main/worker/bundle-workflows.ts
COPY --from=ui /app/node_modules/.cache/ui node_modules/.cache/ui
# Programs write files that only their own user can read, and the processes of the image run as another user.
RUN chmod -R go+rX node_modules/.cache

FROM node:24.21.0-bookworm-slim AS runtime
LABEL org.opencontainers.image.title="delivery-platform"
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data HOME=/tmp
COPY --from=program /app /app
EXPOSE 8080
VOLUME ["/data", "/tmp"]

FROM runtime AS api
USER 65534:65534
# The vendor's public keys, which verify the license of an installation.
ARG LICENSE_PUBLIC_KEYS=
ENV LICENSE_PUBLIC_KEYS=${LICENSE_PUBLIC_KEYS}
# Requests create many short-lived objects. A larger young generation reduces the pauses of the garbage collector.
ENTRYPOINT ["node", "--max-semi-space-size=32", "src/main/api/main.ts"]

FROM runtime AS worker
USER 65534:65534
ENTRYPOINT ["node", "src/main/worker/main.ts"]
CMD ["--queues=workflows,activities"]

# The gate runs in the namespaces of zones, in front of their apps.
FROM runtime AS gate
USER 65534:65534
ENTRYPOINT ["node", "src/main/gate/main.ts"]

# The agents image adds git for checkouts and the sandbox for commands.
FROM runtime AS agents
RUN apt-get update \
  && apt-get install --yes --no-install-recommends bubblewrap ca-certificates git tini \
  && rm -rf /var/lib/apt/lists/*
USER 65534:65534
ENTRYPOINT ["tini", "--", "node", "src/main/worker/main.ts"]
CMD ["--queues=agents"]

# The browser image adds Chromium for screenshots of zones, and its sandbox.
FROM runtime AS browser
RUN apt-get update \
  && apt-get install --yes --no-install-recommends bubblewrap ca-certificates chromium fonts-liberation tini \
  && rm -rf /var/lib/apt/lists/*
ENV CHROMIUM_PATH=/usr/bin/chromium
# The browser renders pages of others, so it has a user of its own.
USER 65532:65532
ENTRYPOINT ["tini", "--", "node", "src/main/worker/main.ts"]
CMD ["--queues=browser"]
