package org.example.shop;

import java.util.HashMap;
import java.util.Map;

import com.google.protobuf.Message;
import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import shop.ShopOuterClass.BrowseRequest;
import shop.ShopOuterClass.Item;
import shop.ShopOuterClass.LookRequest;
import shop.ShopOuterClass.OrderRequest;
import shop.ShopOuterClass.Receipt;

/** Looks items up, which are held in memory, and takes orders. */
final class Shop implements BindableService {
    private static final String SERVICE = "shop.Shop";
    private static final String[] KINDS = {"teapot", "cup", "saucer", "spoon"};

    private static final MethodDescriptor<LookRequest, Item> LOOK =
            method("Look", MethodType.UNARY, LookRequest.getDefaultInstance(), Item.getDefaultInstance());
    private static final MethodDescriptor<OrderRequest, Receipt> ORDER =
            method("Order", MethodType.UNARY, OrderRequest.getDefaultInstance(), Receipt.getDefaultInstance());
    private static final MethodDescriptor<BrowseRequest, Item> BROWSE =
            method("Browse", MethodType.SERVER_STREAMING, BrowseRequest.getDefaultInstance(), Item.getDefaultInstance());

    private final Map<Integer, Item> items = new HashMap<>();

    Shop() {
        for (int id = 1; id <= 1000; id++) {
            var kind = KINDS[id % KINDS.length];
            items.put(id, Item.newBuilder()
                    .setId(id)
                    .setName(kind + " " + id)
                    .setPriceCents(100 + id)
                    .addTags(kind)
                    .addTags("new")
                    .build());
        }
    }

    /** Binds the methods as protoc-gen-grpc-java would: it is not published for every platform, as protoc is. */
    @Override
    public ServerServiceDefinition bindService() {
        return ServerServiceDefinition.builder(SERVICE)
                .addMethod(LOOK, ServerCalls.asyncUnaryCall(this::look))
                .addMethod(ORDER, ServerCalls.asyncUnaryCall(this::order))
                .addMethod(BROWSE, ServerCalls.asyncServerStreamingCall(this::browse))
                .build();
    }

    private void look(LookRequest request, StreamObserver<Item> answer) {
        var item = items.get(request.getId());
        if (item == null) {
            answer.onError(missing(request.getId()));
            return;
        }
        answer.onNext(item);
        answer.onCompleted();
    }

    private void order(OrderRequest request, StreamObserver<Receipt> answer) {
        if (request.getQuantity() < 1) {
            answer.onError(Status.INVALID_ARGUMENT.withDescription("a quantity is 1 or more").asRuntimeException());
            return;
        }
        var item = items.get(request.getItem());
        if (item == null) {
            answer.onError(missing(request.getItem()));
            return;
        }
        answer.onNext(Receipt.newBuilder()
                .setItem(item.getId())
                .setTotalCents(item.getPriceCents() * request.getQuantity())
                .build());
        answer.onCompleted();
    }

    private void browse(BrowseRequest request, StreamObserver<Item> answer) {
        var call = (ServerCallStreamObserver<Item>) answer;
        call.setOnReadyHandler(new Browsing(request, call));
    }

    /** Sends item after item, as long as the connection has room for them. */
    private final class Browsing implements Runnable {
        private final ServerCallStreamObserver<Item> answer;
        private final long end;
        private long id;
        private boolean ended;

        Browsing(BrowseRequest request, ServerCallStreamObserver<Item> answer) {
            this.answer = answer;
            id = request.getFirst();
            end = id + request.getCount();
        }

        @Override
        public void run() {
            while (!ended && answer.isReady()) {
                if (id >= end) {
                    ended = true;
                    answer.onCompleted();
                    return;
                }
                var item = items.get((int) id);
                if (item == null) {
                    ended = true;
                    answer.onError(missing(id));
                    return;
                }
                answer.onNext(item);
                id++;
            }
        }
    }

    private static <Q extends Message, A extends Message> MethodDescriptor<Q, A> method(
            String name, MethodType type, Q request, A answer) {
        return MethodDescriptor.<Q, A>newBuilder()
                .setType(type)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
                .setRequestMarshaller(ProtoUtils.marshaller(request))
                .setResponseMarshaller(ProtoUtils.marshaller(answer))
                .build();
    }

    private static RuntimeException missing(long id) {
        return Status.NOT_FOUND.withDescription("there is no item " + id).asRuntimeException();
    }
}
