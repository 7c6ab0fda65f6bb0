# syntax=docker/dockerfile:1
# Images of the service, one target each: api, worker, agents, browser. They run as nobody, on a root that nobody
# writes: all that is written goes to /data and /tmp.

FROM node:24.21.0-bookworm-slim AS packages
WORKDIR /app
COPY .npmrc package.json package-lock.json ./
# The packages bring a Node for people's machines; here the image has one.
RUN npm ci --omit=dev --no-audit --no-fund && rm -rf node_modules/node node_modules/node-bin-* node_modules/.bin/node

FROM packages AS program
COPY src src
COPY api api
COPY activities activities
COPY workflows workflows
COPY deploy/zone-chart deploy/zone-chart
# What workers load, so that none has to make it.
RUN node src/main/bundle-workflows.ts

FROM node:24.21.0-bookworm-slim AS runtime
LABEL org.opencontainers.image.title="delivery-platform"
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data HOME=/tmp
COPY --from=program /app /app
EXPOSE 8080
VOLUME ["/data", "/tmp"]

FROM runtime AS api
USER 65534:65534
# Requests leave much behind that is short-lived: with more room for it, fewer of them wait while it is cleared away.
ENTRYPOINT ["node", "--max-semi-space-size=32", "src/main/serve.ts"]

FROM runtime AS worker
USER 65534:65534
ENTRYPOINT ["node", "src/main/work.ts"]
CMD ["--queues=workflows,activities"]

# Agents' checkouts and the sandbox of their commands.
FROM runtime AS agents
RUN apt-get update \
  && apt-get install --yes --no-install-recommends bubblewrap ca-certificates git tini \
  && rm -rf /var/lib/apt/lists/*
USER 65534:65534
ENTRYPOINT ["tini", "--", "node", "src/main/work.ts"]
CMD ["--queues=agents"]

# Pictures of zones.
FROM runtime AS browser
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates chromium fonts-liberation tini \
  && rm -rf /var/lib/apt/lists/*
ENV CHROMIUM_PATH=/usr/bin/chromium
USER 65534:65534
ENTRYPOINT ["tini", "--", "node", "src/main/work.ts"]
CMD ["--queues=browser"]
