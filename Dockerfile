# A small image: built in one stage, run in another with the production packages only, without root.
#   docker build -t tarsier .
#   docker run -p 7700:7700 -v tarsier:/data -e TARSIER_MASTER_KEY=... tarsier
FROM node:20-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev

FROM node:20-slim
WORKDIR /app
# Under the names that give way to TARSIER_..., so that a container's own environment may use either.
ENV NODE_ENV=production MEILI_DB_PATH=/data/data.tarsier MEILI_HTTP_ADDR=0.0.0.0:7700 \
    MEILI_DUMP_DIR=/data/dumps MEILI_SNAPSHOT_DIR=/data/snapshots
COPY --from=build /app/package.json /app/README.md /app/LICENSE ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/build/cli.js /app/build/package.json /app/build/page.html ./build/
COPY --from=build /app/build/bundle ./build/bundle
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 7700
# Signals reach the server itself, which ends with what it has acknowledged on disk.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=3s --start-period=5s CMD ["node", "-e", \
  "fetch('http://127.0.0.1:7700/health').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "build/cli.js"]
