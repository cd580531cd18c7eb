package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"gorm.io/gorm"
)

// write runs fn in one transaction. On SQLite, where there is one writer and a commit waits for the disk, transactions
// that wait at the same time share one commit: each runs under a savepoint of its own and is durable when write
// returns nil, as if it had been alone. fn must do nothing but database work.
func (db *DB) write(ctx context.Context, fn func(tx *gorm.DB) error) error {
	if db.writes == nil {
		return db.w.WithContext(ctx).Transaction(fn)
	}
	return db.writes.do(ctx, fn)
}

const (
	maxBatch     = 64               // transactions that share a commit
	batchTimeout = 10 * time.Second // for one batch; the lock is ours, so only a stuck disk takes long
)

// batcher runs waiting transactions together.
type batcher struct {
	db    *gorm.DB
	queue chan *pendingWrite
	done  sync.WaitGroup

	mu     sync.RWMutex // held while sending into queue, so that close cannot come between
	closed bool
}

type pendingWrite struct {
	ctx   context.Context
	fn    func(tx *gorm.DB) error
	taken atomic.Bool // it was begun, or its caller went away before that
	err   error
	done  chan struct{}
}

var errClosed = errors.New("the database is closed")

func newBatcher(db *gorm.DB) *batcher {
	b := &batcher{db: db, queue: make(chan *pendingWrite, maxBatch)}
	b.done.Go(b.run)
	return b
}

// do waits until fn's transaction has ended. A ctx that ends while fn still waits its turn takes it out; once fn is
// begun its outcome is awaited, so that an error always means "not written".
func (b *batcher) do(ctx context.Context, fn func(tx *gorm.DB) error) error {
	p := &pendingWrite{ctx: ctx, fn: fn, done: make(chan struct{})}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := b.enqueue(p); err != nil {
		return err
	}
	select {
	case <-p.done:
	case <-ctx.Done():
		if p.taken.CompareAndSwap(false, true) {
			return ctx.Err()
		}
		<-p.done
	}
	return p.err
}

func (b *batcher) enqueue(p *pendingWrite) error {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if b.closed {
		return errClosed
	}
	select {
	case b.queue <- p:
		return nil
	case <-p.ctx.Done():
		return p.ctx.Err()
	}
}

// close lets what waits end and refuses what comes later. It may be called again.
func (b *batcher) close() {
	b.mu.Lock()
	if !b.closed {
		b.closed = true
		close(b.queue)
	}
	b.mu.Unlock()
	b.done.Wait()
}

func (b *batcher) run() {
	for first := range b.queue {
		batch := []*pendingWrite{first}
	collect:
		for len(batch) < maxBatch {
			select {
			case p, ok := <-b.queue:
				if !ok {
					break collect
				}
				batch = append(batch, p)
			default:
				break collect
			}
		}
		b.commit(batch)
	}
}

// commit runs the batch in one transaction. An error of one member rolls back that member alone; an error of the
// commit is everybody's. When a member's error took the whole transaction with it, as a full disk does, the members run
// again, each alone.
func (b *batcher) commit(batch []*pendingWrite) {
	var ready []*pendingWrite
	for _, p := range batch {
		if p.taken.CompareAndSwap(false, true) {
			ready = append(ready, p)
		}
	}
	if len(ready) > 1 && b.together(ready) {
		ready = nil
	}
	for _, p := range ready {
		p.err = b.transaction(func(tx *gorm.DB) error { return p.run(tx) })
	}
	for _, p := range batch {
		close(p.done)
	}
}

func (b *batcher) transaction(fn func(tx *gorm.DB) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), batchTimeout)
	defer cancel()
	return b.db.WithContext(ctx).Transaction(fn)
}

// errBroken ends a shared transaction that the database has rolled back by itself.
var errBroken = errors.New("the transaction is gone")

// together runs the batch in one transaction. False means that nothing of it was written and nobody has an outcome.
func (b *batcher) together(batch []*pendingWrite) bool {
	err := b.transaction(func(tx *gorm.DB) error {
		for i, p := range batch {
			name := fmt.Sprintf("member%d", i)
			if err := tx.Exec("SAVEPOINT " + name).Error; err != nil { // tx.SavePoint hides errors
				return errBroken
			}
			if p.err = p.run(tx); p.err == nil {
				continue
			}
			if err := tx.Exec("ROLLBACK TO " + name).Error; err != nil {
				return errBroken
			}
		}
		return nil
	})
	if errors.Is(err, errBroken) {
		return false
	}
	for _, p := range batch {
		if p.err == nil {
			p.err = err
		}
	}
	return true
}

// run is the member's transaction. Its panic is its error.
func (p *pendingWrite) run(tx *gorm.DB) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic in a transaction: %v", v)
		}
	}()
	if err := p.ctx.Err(); err != nil {
		return err
	}
	return p.fn(tx)
}
